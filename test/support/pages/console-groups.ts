import { randomBytes } from "node:crypto";
import { beforeAll } from "vitest";
import { callGraphql } from "../graphql/graphql-client.js";
import type { TestService } from "../service/test-service.js";
import { useConsole } from "./console-page.js";

export const CREATE =
  "mutation($input: UpsertUserGroupsInput!) { upsertUserGroups(input: $input) { userErrors { message } } }";
export const READ = `query($id: String!) {
  userGroup(by: { providedId: $id }) { name properties token mapping { schemaId dataSource { providedId } } }
}`;
export const GROUPS = 60;

interface ConsoleGroups {
  readonly service: () => TestService;
  readonly encryptionKey: Buffer;
  /** Keys of the account's Customer environment by scope, and a Testing admin key. */
  readonly keys: Record<"admin" | "write" | "embed" | "read" | "testing", string>;
  /** Runs an operation with the admin key. */
  run(query: string, variables: Readonly<Record<string, unknown>>): Promise<ReturnType<typeof JSON.parse>>;
}

/** Starts the service with its console and 60 groups, `Customer 00` to `Customer 59`. The demo key has scope read. */
export function useConsoleGroups(): ConsoleGroups {
  const encryptionKey = randomBytes(32);
  const keys = { admin: "", write: "", embed: "", read: "", testing: "" };
  const service = useConsole({ encryptionKey, demoKey: () => keys.read });
  const run: ConsoleGroups["run"] = async (query, variables) => {
    const { body } = await callGraphql(service().url, keys.admin, query, variables);
    const { data, errors } = Object(body);
    if (errors) throw new Error(JSON.stringify(errors));
    return data;
  };
  beforeAll(async () => {
    const account = await service().createAccount();
    for (const scope of ["admin", "write", "embed", "read"] as const)
      keys[scope] = (await account.createKey({ scope })).secret;
    keys.testing = (await account.createKey({ environment: "Testing" })).secret;
    const userGroups = Array.from({ length: GROUPS }, (_, index) => ({
      providedId: `customer/${index} ?#`,
      name: `Customer ${String(index).padStart(2, "0")}`,
      mapping: [{ schemaId: "charts", dataSource: index === 7 ? "support" : "sales" }],
    }));
    await run(CREATE, { input: { userGroups } });
  });
  return { service, encryptionKey, keys, run };
}
