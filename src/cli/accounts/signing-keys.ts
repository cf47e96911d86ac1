import type { Command } from "commander";
import type { ProcessEnvironment } from "../../config/config.js";
import { acceptedUntil, type SigningKey, signingKeyState } from "../../domain/authentication/signing-key.js";
import { SigningKeys } from "../../services/authentication/signing-keys.js";
import type { RunCommand } from "../shared/run-command.js";
import { withStorage } from "../shared/storage.js";
import { formatTable } from "../shared/table.js";

const COLUMNS = ["ID", "CREATED", "SIGNS FROM", "RETIRED FROM", "ACCEPTED UNTIL", "STATE"];

/** Adds `signing-key list` and `signing-key rotate`. */
export function addSigningKeyCommands(
  program: Command,
  environment: ProcessEnvironment,
  run: RunCommand,
): void {
  const signingKey = program.command("signing-key").description("Manage the keys that sign embed sessions");
  signingKey
    .command("list")
    .description("List signing keys, without their private keys")
    .action(() => run(() => listSigningKeys(environment)));
  signingKey
    .command("rotate")
    .description("Add a signing key that replaces the current one in 15 minutes")
    .option("--revoke", "delete all former keys, which ends all embed sessions within a minute")
    .action((options) => run(() => rotateSigningKey(environment, options)));
}

async function listSigningKeys(environment: ProcessEnvironment): Promise<void> {
  await withStorage(environment, { migrate: true }, async ({ database, vault }) => {
    const keys = await new SigningKeys(database, vault).list();
    process.stdout.write(formatTable([COLUMNS, ...keys.map((key) => toRow(key, new Date()))]));
  });
}

/** Prints the ID of the new key. */
async function rotateSigningKey(
  environment: ProcessEnvironment,
  { revoke = false }: { readonly revoke?: boolean },
): Promise<void> {
  await withStorage(environment, { migrate: true }, async ({ database, vault }) => {
    const { id, signsFrom } = await new SigningKeys(database, vault).rotate(revoke);
    process.stdout.write(`added ${id}, which signs from ${signsFrom.toISOString()}\n`);
  });
}

function toRow(key: SigningKey, now: Date): string[] {
  return [
    key.id,
    key.createdAt.toISOString(),
    key.signsFrom.toISOString(),
    key.retiredFrom?.toISOString() ?? "-",
    acceptedUntil(key)?.toISOString() ?? "-",
    signingKeyState(key, now),
  ];
}
