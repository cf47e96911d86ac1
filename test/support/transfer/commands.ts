import { randomBytes } from "node:crypto";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { afterAll } from "vitest";
import { type ExportChoices, exportFiles } from "../../../src/cli/transfer/export.js";
import { type CommandStreams, type ImportChoices, importFiles } from "../../../src/cli/transfer/import.js";
import type { Environment } from "../../../src/domain/accounts/environment.js";
import { OperatorError } from "../../../src/domain/shared/operator-error.js";
import { callGraphql } from "../graphql/graphql-client.js";
import { databaseUrl } from "../postgres/database-url.js";
import { callRest } from "../rest/rest-client.js";
import { recordOutput } from "../secrets/process-record.js";
import { recordSecret } from "../secrets/run-record.js";
import { createTestProcesses } from "../service/running-process.js";
import { startService, type TestAccount } from "../service/test-service.js";

/** `import` and `export` with a running service, and files for them, until the test file ends. */
export type TransferCommands = Awaited<ReturnType<typeof startTransferCommands>>;
/** One environment of a new account, with the data sources `sales` and `support`. */
export type TransferTenant = Awaited<ReturnType<TransferCommands["createTenant"]>>;

/** A command's result; a failure has code 1 and its message at the end of the output. */
interface CommandEnd {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export async function startTransferCommands() {
  const processes = createTestProcesses();
  const encryptionKey = randomBytes(32);
  const spareKey = randomBytes(32);
  const service = await startService({ encryptionKey });
  const env = {
    DATABASE_URL: databaseUrl(service.target),
    ENCRYPTION_KEYS: [encryptionKey, spareKey].map((key) => key.toString("base64")).join(","),
  };
  const folder = await mkdtemp(join(tmpdir(), "ug-transfer-"));
  const at = (name: string) => join(folder, name);
  afterAll(async () => {
    await processes.close();
    await rm(folder, { recursive: true });
  });
  const tenantOf = async (account: TestAccount, environment: Environment) => {
    const { secret: key } = await account.createKey({ environment });
    const tenant = { account: account.name, environment };
    const choice = ["--account", account.name, "--environment", environment];
    return {
      accountId: account.accountId,
      account,
      environment,
      key,
      /** Imports in this process as the command does, since a process per import would take too long. */
      import(
        { json = false, ...choices }: Partial<ImportChoices> & { json?: boolean },
        input?: CommandInput,
      ) {
        const all = { dryRun: false, replaceTokens: false, author: "cli", ...tenant, ...choices };
        return capture((streams) => importFiles(env, all, streams), input, json);
      },
      export: (choices: Partial<ExportChoices>) =>
        capture(async (streams) => {
          await exportFiles(env, { withTokens: false, ...tenant, ...choices }, streams);
          return 0;
        }),
      /** Runs the command in a process. */
      launch: (...args: readonly string[]) => processes.launch(["import", ...choice, ...args], { env }),
      call: (method: string, body: object) => callRest(`${service.url}/api/user`, method, key, body),
      /** Returns a front end's view of its group with this token. */
      viewer(token: string) {
        const query = "{ viewer { userGroup { name } } }";
        const headers = { authorization: `Bearer ${token}` };
        return callRest(`${service.url}/graphql`, "POST", undefined, { query }, headers);
      },
      /** Returns a group over GraphQL; null if there is none. */
      async read(providedId: string): Promise<ReturnType<typeof JSON.parse>> {
        const query = `query ($id: String!) { userGroup(by: { providedId: $id }) {
          name token version properties mapping { schemaId dataSource { providedId } } } }`;
        const { body } = await callGraphql(service.url, key, query, { id: providedId });
        return Object(body).data.userGroup;
      },
    };
  };
  return {
    service,
    encryptionKey,
    /** A second key that the commands are configured with. */
    spareKey,
    /** Returns the path of a file. */
    at,
    async write(name: string, content: string | Buffer) {
      await writeFile(at(name), content);
      return at(name);
    },
    read: (name: string) => readFile(at(name), "utf8"),
    createTenant: async (environment: Environment = "Customer") =>
      tenantOf(await service.createAccount(), environment),
    /** Returns the same account in the other environment. */
    otherEnvironment: ({ account, environment }: { account: TestAccount; environment: Environment }) =>
      tenantOf(account, environment === "Customer" ? "Testing" : "Customer"),
  };
}

type CommandInput = AsyncIterable<Buffer>;

async function capture(
  command: (streams: CommandStreams) => Promise<number>,
  input: CommandInput = Readable.from([]),
  isJson = false,
): Promise<CommandEnd> {
  let stdout = "";
  let stderr = "";
  const output = {
    isJson,
    async print(value: unknown, text: string) {
      stdout += isJson ? JSON.stringify(value) : text;
    },
  };
  const terminal = {
    write(text: string) {
      stderr += text;
    },
  };
  const code = await command({ input, output, terminal }).catch((error: unknown) => {
    if (!(error instanceof OperatorError)) throw error;
    terminal.write(`${error.message}\n`);
    return 1;
  });
  recordOutput([], { stdout, stderr });
  return { code, stdout, stderr };
}

/** A token in another service's format. */
export function foreignToken(): string {
  const token = `embed.${randomBytes(18).toString("base64url")}`;
  recordSecret("a token from elsewhere", token);
  return token;
}

/** Records as JSON Lines. */
export function toLines(records: readonly object[]): string {
  return records.map((record) => `${JSON.stringify(record)}\n`).join("");
}

/** The numbers of a summary by kind: records, created, updated, unchanged, refused. */
export function countsOf({ stdout }: Pick<CommandEnd, "stdout">): Record<string, number[]> {
  const rows = stdout.matchAll(/^(data sources|groups) +(\d[\d ]+)$/gm);
  return Object.fromEntries(
    [...rows].map(([, name, numbers = ""]) => [name, numbers.split(/ +/).map(Number)]),
  );
}
