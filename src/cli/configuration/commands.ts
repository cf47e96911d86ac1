import { closeSync, openSync, writeSync } from "node:fs";
import { printable } from "@user-groups/site-config/check-format";
import type { ProcessEnvironment } from "../../config/config.js";
import { OperatorError } from "../../domain/shared/operator-error.js";
import { serviceOf, toOperatorError, URL_NAME, withClient } from "../shared/client.js";
import { isConfirmed } from "../shared/confirmation.js";
import { titleOf } from "../shared/differences.js";
import { EXIT_INTERRUPTED, interruptible } from "../shared/interruption.js";
import type { Output } from "../shared/output.js";
import { formatEnvironmentFile, readEnvironmentFile, schemaUrl } from "./file.js";
import { type Change, createPlan, formatPlan, readSection } from "./plan.js";
import { type Section, type SectionOptions, type Sections, sectionsOf } from "./sections.js";

/** Exit code of a plan with changes. */
const EXIT_DIFFERENT = 2;

interface PlanOptions {
  readonly prune: boolean;
}

interface ApplyOptions extends PlanOptions {
  readonly yes: boolean;
  readonly setSecrets: boolean;
  /** Receives the signing secrets of new webhook endpoints. */
  readonly secretsFile?: string;
}

/** Prints the environment of the API key as a file, in which the secrets are references. */
export async function exportEnvironment(environment: ProcessEnvironment, output: Output): Promise<void> {
  await withSections(environment, async (sections) => {
    const file = {
      version: 1 as const,
      dataSources: await entriesOf(sections.dataSources),
      sessionTemplates: await entriesOf(sections.sessionTemplates),
      webhookEndpoints: await entriesOf(sections.webhookEndpoints),
      propertySchema: (await entriesOf(sections.propertySchema))[0],
      sites: await entriesOf(sections.sites),
    };
    const url = environment[URL_NAME] ?? "";
    await output.print({ $schema: schemaUrl(url), ...file }, formatEnvironmentFile(file, url));
  });
}

async function entriesOf<Entry>(section: Section<Entry>): Promise<Entry[]> {
  return [...(await readSection(section)).values()].map(({ entry }) => entry);
}

/** Prints what would make the environment what the file says. @returns the exit code: 2 if there are changes */
export async function planEnvironment(
  environment: ProcessEnvironment,
  path: string,
  { prune }: PlanOptions,
  output: Output,
): Promise<number> {
  const wanted = await readEnvironmentFile(path);
  return withSections(environment, async (sections) => {
    const changes = await createPlan(sections, wanted, prune);
    await output.print({ changes }, formatPlan(changes) + summaryOf(changes));
    return changes.length > 0 ? EXIT_DIFFERENT : 0;
  });
}

/**
 * Makes the environment what the file says, after a question. It stops at the first change that is refused, such as one of an object that was
 * changed since the plan.
 * @returns the exit code
 * @throws OperatorError that says which changes were not made
 */
export async function applyEnvironment(
  environment: ProcessEnvironment,
  path: string,
  { prune, yes, setSecrets, secretsFile }: ApplyOptions,
  output: Output,
): Promise<number> {
  const wanted = await readEnvironmentFile(path);
  const secrets = new SecretsFile(secretsFile);
  const onNewSecret = (endpoint: string, secret: string) => secrets.add(endpoint, secret);
  return withSections(
    environment,
    async (sections) => {
      const changes = await createPlan(sections, wanted, prune);
      if (!output.isJson) await output.print(null, formatPlan(changes) + summaryOf(changes));
      for (const { secret } of changes) if (secret !== undefined) requireSecret(environment, secret);
      if (changes.length > 0 && !yes) await requireConfirmation(changes);
      secrets.open();
      try {
        return await interruptible((signal) => writeAll(changes, signal, output));
      } finally {
        secrets.close();
      }
    },
    { setSecrets, onNewSecret },
  );
}

async function writeAll(changes: readonly Change[], signal: AbortSignal, output: Output): Promise<number> {
  const done: Change[] = [];
  let failure: unknown = null;
  for (const change of changes) {
    if (signal.aborted) break;
    try {
      await change.write();
    } catch (error) {
      failure = toOperatorError(error);
      if (!(failure instanceof OperatorError)) throw error;
      break;
    }
    done.push(change);
    if (!output.isJson) process.stdout.write(`done: ${titleOf(change)}\n`);
  }
  const remaining = changes.slice(done.length);
  const result = { done: done.map(titleOf), remaining: remaining.map(titleOf) };
  await output.print(result, remaining.map((change) => `not done: ${titleOf(change)}\n`).join(""));
  if (failure instanceof OperatorError) {
    const message = `Stopped after ${done.length} of ${changes.length} changes, at ${result.remaining[0]}: ${failure.message}`;
    throw new OperatorError(printable(message), { cause: failure, code: failure.code });
  }
  return remaining.length > 0 ? EXIT_INTERRUPTED : 0;
}

/** Sends the signing secrets of new endpoints nowhere but to a file that only you can read. */
class SecretsFile {
  #file: number | undefined;

  constructor(private readonly path: string | undefined) {}

  /** @throws OperatorError if the file exists or cannot be written */
  open(): void {
    if (this.path === undefined) return;
    try {
      this.#file = openSync(this.path, "wx", 0o600);
    } catch (error) {
      throw new OperatorError(`Cannot create the file for secrets: ${String(error)}`, { cause: error });
    }
  }

  add(webhookEndpoint: string, secret: string): void {
    if (this.#file !== undefined) writeSync(this.#file, `${JSON.stringify({ webhookEndpoint, secret })}\n`);
    else
      process.stderr.write(
        `The signing secret of ${printable(JSON.stringify(webhookEndpoint))} was not saved. Rotate it in the console to see one, or use --secrets-file.\n`,
      );
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
  }
}

function summaryOf(changes: readonly Change[]): string {
  const secrets =
    "Secrets cannot be compared: only `config apply --set-secrets` sends those of existing templates.\n";
  const count = changes.length === 1 ? "1 change" : `${changes.length} changes`;
  return changes.length === 0 ? `No changes. ${secrets}` : `${count}. ${secrets}`;
}

/** @throws OperatorError without a terminal, or for any answer but "yes" */
async function requireConfirmation(changes: readonly Change[]): Promise<void> {
  if (!process.stdin.isTTY)
    throw new OperatorError("There is no terminal to ask. Add --yes to apply without a question.");
  if (await isConfirmed(`Make these changes (${changes.length})? Type yes: `, "yes")) return;
  throw new OperatorError("Nothing was changed.");
}

/** @throws OperatorError */
function requireSecret(environment: ProcessEnvironment, variable: string): string {
  const secret = environment[variable];
  if (secret) return secret;
  throw new OperatorError(`The secret is missing. Set the environment variable ${variable}.`);
}

async function withSections<Result>(
  environment: ProcessEnvironment,
  work: (sections: Sections) => Promise<Result>,
  options: Pick<SectionOptions, "setSecrets" | "onNewSecret"> = {
    setSecrets: false,
    onNewSecret: () => undefined,
  },
): Promise<Result> {
  const secretOf = (variable: string) => requireSecret(environment, variable);
  return withClient(environment, serviceOf(environment), (client) =>
    work(sectionsOf(client, { secretOf, ...options })),
  );
}
