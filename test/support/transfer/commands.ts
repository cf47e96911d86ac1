import { randomBytes } from "node:crypto";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import type { AccountChoice } from "../../../src/cli/shared/account.js";
import { createOutput } from "../../../src/cli/shared/output.js";
import { type ExportChoices, exportFiles } from "../../../src/cli/transfer/export.js";
import { type CommandStreams, type ImportChoices, importFiles } from "../../../src/cli/transfer/import.js";
import type { Environment } from "../../../src/domain/accounts/environment.js";
import { OperatorError } from "../../../src/domain/shared/operator-error.js";
import { callGraphql } from "../graphql/graphql-client.js";
import { databaseUrl } from "../postgres/database-url.js";
import { callRest, type RestReply } from "../rest/rest-client.js";
import { recordOutput } from "../secrets/process-record.js";
import { recordSecret } from "../secrets/run-record.js";
import { createTestProcesses, type RunningProcess } from "../service/running-process.js";
import { startTestService, type TestService } from "../service/test-service.js";

/** `import` and `export` with a running service, and files for them. */
export interface TransferCommands {
  readonly service: TestService;
  readonly encryptionKey: Buffer;
  /** A second key that the commands are configured with. */
  readonly spareKey: Buffer;
  /** The path of a file. */
  at(name: string): string;
  write(name: string, content: string | Buffer): Promise<string>;
  read(name: string): Promise<string>;
  createTenant(environment?: Environment): Promise<TransferTenant>;
  close(): Promise<void>;
}

/** One environment of a new account, with the data sources `sales` and `support`. */
export interface TransferTenant {
  readonly accountId: number;
  readonly accountName: string;
  readonly key: string;
  /** The same account in the other environment. */
  other(): Promise<TransferTenant>;
  /** Imports in this process as the command does, since a process per import would take too long. */
  import(choices: TransferChoices<ImportChoices> & JsonChoice, input?: CommandInput): Promise<CommandEnd>;
  export(choices: TransferChoices<ExportChoices>): Promise<CommandEnd>;
  /** Runs the command in a process. */
  launch(command: "import" | "export", ...args: readonly string[]): Promise<RunningProcess>;
  call(method: string, body: object): Promise<RestReply>;
  /** Deletes its groups, so that their tokens can be imported elsewhere. */
  removeAll(): Promise<void>;
  /** A front end's view of its group with this token. */
  viewer(token: string): Promise<RestReply>;
}

type CommandInput = string | AsyncIterable<Buffer>;
/** Whether the command has `--json`. */
interface JsonChoice {
  readonly json?: boolean;
}
type TransferChoices<Choices extends AccountChoice> = Partial<Choices>;

/** A command's result; a failure has code 1 and its message at the end of the output. */
export interface CommandEnd {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export async function startTransferCommands(): Promise<TransferCommands> {
  const processes = createTestProcesses();
  const encryptionKey = randomBytes(32);
  const spareKey = randomBytes(32);
  const service = await startTestService({ encryptionKey });
  const env = {
    DATABASE_URL: databaseUrl(service.target),
    ENCRYPTION_KEYS: [encryptionKey, spareKey].map((key) => key.toString("base64")).join(","),
  };
  const folder = await mkdtemp(join(tmpdir(), "ug-transfer-"));
  const at = (name: string) => join(folder, name);
  const tenantOf = async (
    account: Awaited<ReturnType<TestService["createAccount"]>>,
    environment: Environment,
  ): Promise<TransferTenant> => {
    const { secret: key } = await account.createKey({ environment });
    const tenant = { account: account.name, environment };
    const choice = ["--account", account.name, "--environment", environment];
    return {
      accountId: account.accountId,
      accountName: account.name,
      key,
      other: () => tenantOf(account, environment === "Customer" ? "Testing" : "Customer"),
      import: ({ json, ...choices }, input = "") =>
        capture(
          (streams) => importFiles(env, { ...importDefaults, ...tenant, ...choices }, streams),
          input,
          json,
        ),
      export: (choices) =>
        capture(async ({ terminal }) => {
          await exportFiles(
            env,
            { withTokens: false, ...tenant, ...choices },
            { terminal, output: createOutput(false) },
          );
          return 0;
        }),
      launch: (command, ...args) => processes.launch([command, ...choice, ...args], { env }),
      call: (method, body) => callRest(`${service.url}/api/user`, method, key, body),
      async removeAll() {
        await service.query("DELETE FROM user_group WHERE account_id = $1", [account.accountId]);
      },
      viewer(token) {
        const query = "{ viewer { userGroup { name } } }";
        const headers = { authorization: `Bearer ${token}` };
        return callRest(`${service.url}/graphql`, "POST", undefined, { query }, headers);
      },
    };
  };
  return {
    service,
    encryptionKey,
    spareKey,
    at,
    async write(name, content) {
      await writeFile(at(name), content);
      return at(name);
    },
    read: (name) => readFile(at(name), "utf8"),
    createTenant: async (environment = "Customer") => tenantOf(await service.createAccount(), environment),
    async close() {
      await processes.close();
      await service.close();
      await rm(folder, { recursive: true });
    },
  };
}

const importDefaults = { dryRun: false, replaceTokens: false, author: "cli" };

async function capture(
  command: (streams: CommandStreams) => Promise<number>,
  input: CommandInput = "",
  isJson = false,
): Promise<CommandEnd> {
  let stdout = "";
  let stderr = "";
  const end = (code: number) => {
    recordOutput([], { stdout, stderr });
    return { code, stdout, stderr };
  };
  try {
    const code = await command({
      input: typeof input === "string" ? Readable.from([Buffer.from(input)]) : input,
      output: {
        isJson,
        async print(value, text) {
          stdout += isJson ? JSON.stringify(value) : text;
        },
      },
      terminal: {
        write(text) {
          stderr += text;
        },
      },
    });
    return end(code);
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error;
    stderr += `${error.message}\n`;
    return end(1);
  }
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

/** A tenant's group over GraphQL; null if there is none. */
export async function readGroup(
  { service }: TransferCommands,
  { key }: TransferTenant,
  providedId: string,
): Promise<ReturnType<typeof JSON.parse>> {
  const query = `query ($id: String!) { userGroup(by: { providedId: $id }) {
    name token version properties mapping { schemaId dataSource { providedId } } } }`;
  const { body } = await callGraphql(service.url, key, query, { id: providedId });
  return Object(body).data.userGroup;
}

/** The numbers of a summary by kind: records, created, updated, unchanged, refused. */
export function countsOf({ stdout }: Pick<CommandEnd, "stdout">): Record<string, number[]> {
  const rows = stdout.split("\n").flatMap((line) => {
    const [, name, numbers] = /^(data sources|groups|mappings) +(\d[\d ]+)$/.exec(line) ?? [];
    return name === undefined || numbers === undefined
      ? []
      : [[name, numbers.split(/ +/).map(Number)] as const];
  });
  return Object.fromEntries(rows);
}
