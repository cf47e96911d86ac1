import type { ProcessEnvironment } from "../../config/config.js";
import { acceptedUntil, type SigningKey, signingKeyState } from "../../domain/authentication/signing-key.js";
import { SigningKeys } from "../../services/authentication/signing-keys.js";
import type { Output } from "../shared/output.js";
import { withStorage } from "../shared/storage.js";
import { formatTable } from "../shared/table.js";

const COLUMNS = ["ID", "CREATED", "SIGNS FROM", "RETIRED FROM", "ACCEPTED UNTIL", "STATE"];

export async function listSigningKeys(environment: ProcessEnvironment, output: Output): Promise<void> {
  await withStorage(environment, { migrate: true }, async ({ database, vault }) => {
    const keys = await new SigningKeys(database, vault).list();
    const now = new Date();
    const views = keys.map((key) => ({
      id: key.id,
      created_at: key.createdAt,
      signs_from: key.signsFrom,
      retired_from: key.retiredFrom,
      accepted_until: acceptedUntil(key),
      state: signingKeyState(key, now),
    }));
    await output.print(views, formatTable([COLUMNS, ...keys.map((key) => toRow(key, now))]));
  });
}

/** Prints the ID of the new key. */
export async function rotateSigningKey(
  environment: ProcessEnvironment,
  { revoke = false }: { readonly revoke?: boolean },
  output: Output,
): Promise<void> {
  await withStorage(environment, { migrate: true }, async ({ database, vault }) => {
    const { id, signsFrom } = await new SigningKeys(database, vault).rotate(revoke);
    const text = `added ${id}, which signs from ${signsFrom.toISOString()}\n`;
    await output.print({ id, signs_from: signsFrom }, text);
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
