import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";
import type { Environment } from "../../../src/domain/accounts/environment.js";
import { callGraphql, runMutation } from "../graphql/graphql-client.js";
import type { Data } from "../graphql/graphql-fixture.js";
import { createTestProcesses, type ProcessEnd } from "../service/running-process.js";
import { startService } from "../service/test-service.js";

/** A service and the compiled commands that call its API, as users run them. */
export async function startRemoteCommands() {
  const processes = createTestProcesses();
  const service = await startService();
  const folder = await mkdtemp(join(tmpdir(), "ug-environment-"));
  afterAll(async () => {
    await processes.close();
    await rm(folder, { recursive: true });
  });
  const run = (args: readonly string[], env: Readonly<Record<string, string>>): Promise<ProcessEnd> =>
    processes.run(args, { env: { USER_GROUPS_URL: service.url, ...env } });
  return {
    service,
    folder,
    run,
    /** Writes a file; a value other than text as JSON. @returns its path */
    async write(name: string, content: unknown): Promise<string> {
      const path = join(folder, name);
      await writeFile(path, typeof content === "string" ? content : JSON.stringify(content, null, 2));
      return path;
    },
    /** Creates an account. @returns its environments */
    async createEnvironments() {
      const account = await service.createAccount();
      const inEnvironment = async (environment: Environment) => {
        const { secret: key } = await account.createKey({ environment });
        const read = async (query: string, variables: object = {}): Promise<Data> => {
          const { body } = await callGraphql(service.url, key, query, { ...variables });
          return Object(body).data;
        };
        return {
          key,
          config: (args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
            run(["config", ...args], { USER_GROUPS_API_KEY: key, ...env }),
          mutate: (name: string, input: object, selection?: string) =>
            runMutation(read, name, input, selection),
          read,
        };
      };
      return { testing: await inEnvironment("Testing"), customer: await inEnvironment("Customer") };
    },
  };
}
