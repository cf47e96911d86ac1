import { afterAll, beforeAll } from "vitest";
import { callRest, type RestReply } from "../rest/rest-client.js";
import {
  startService,
  startTestService,
  type TestAccount,
  type TestService,
  type TestServiceOptions,
} from "../service/test-service.js";
import { runMutation } from "./graphql-client.js";

export interface GraphqlFixture {
  readonly service: TestService;
  readonly account: TestAccount;
  /** Customer keys of the account by scope, and its Testing admin key. */
  readonly keys: {
    readonly admin: string;
    readonly write: string;
    readonly embed: string;
    readonly read: string;
    readonly testing: string;
  };
  /** A key of another account. */
  readonly strangerKey: string;
  /** Sends a request by POST; null means without a key. */
  send(body: unknown, key?: string | null, headers?: Headers): Promise<RestReply>;
  /** Runs an operation with the admin key. @returns its data @throws Error when the reply has errors */
  run(query: string, variables?: Readonly<Record<string, unknown>>, key?: string): Promise<Data>;
  /** Runs an operation; null means without a key. */
  call(query: string, variables?: Readonly<Record<string, unknown>>, key?: string | null): Promise<RestReply>;
  /** Runs a mutation. @returns its payload: the selected fields, and `userErrors` with code, message and field */
  mutate(name: string, input: object, selection?: string, key?: string): Promise<Data>;
  /** Runs an operation as a front end. @param token of a user group, or an embed session */
  front(token: string, query: string, variables?: object, operationName?: string): Promise<RestReply>;
  /** Calls /api/user with the admin key. */
  rest(method: string, body?: unknown, key?: string, headers?: Headers): Promise<RestReply>;
}

type Headers = Readonly<Record<string, string | undefined>>;

/** Untyped reply data. */
export type Data = ReturnType<typeof JSON.parse>;

/** Starts the service for a test file or `describe` block, which ends with it. */
export async function startGraphql(options: TestServiceOptions = {}): Promise<GraphqlFixture> {
  return createFixture(await startService(options));
}

/** The same in a hook. @returns a getter for the fixture */
export function useGraphql(options: TestServiceOptions = {}): () => GraphqlFixture {
  let fixture: GraphqlFixture | undefined;
  beforeAll(async () => {
    fixture = await createFixture(await startTestService(options));
  });
  afterAll(() => fixture?.service.close());
  return () => {
    if (!fixture) throw new Error("The fixture is there once the tests run.");
    return fixture;
  };
}

async function createFixture(service: TestService): Promise<GraphqlFixture> {
  const account = await service.createAccount();
  const stranger = await service.createAccount();
  const keys = {
    admin: (await account.createKey()).secret,
    write: (await account.createKey({ scope: "write" })).secret,
    embed: (await account.createKey({ scope: "embed" })).secret,
    read: (await account.createKey({ scope: "read" })).secret,
    testing: (await account.createKey({ environment: "Testing" })).secret,
  };
  const send: GraphqlFixture["send"] = (body, key = keys.admin, headers = {}) =>
    callRest(`${service.url}/graphql`, "POST", key ?? undefined, body, headers);
  const call: GraphqlFixture["call"] = (query, variables = {}, key) => send({ query, variables }, key);
  const run: GraphqlFixture["run"] = async (query, variables, key) => {
    const { data, errors } = Object((await call(query, variables, key)).body);
    if (errors) throw new Error(JSON.stringify(errors));
    return data;
  };
  return {
    service,
    account,
    keys,
    strangerKey: (await stranger.createKey()).secret,
    send,
    call,
    run,
    mutate: (name, input, selection, key) =>
      runMutation((query, variables) => run(query, { ...variables }, key), name, input, selection),
    front: (token, query, variables = {}, operationName) =>
      send({ query, variables, operationName }, null, { authorization: `Bearer ${token}` }),
    rest: (method, body, key = keys.admin, headers = {}) =>
      callRest(`${service.url}/api/user`, method, key, body, headers),
  };
}
