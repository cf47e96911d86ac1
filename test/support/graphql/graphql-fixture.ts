import { afterAll, beforeAll } from "vitest";
import type { RestReply } from "../rest/rest-client.js";
import {
  startTestService,
  type TestAccount,
  type TestService,
  type TestServiceOptions,
} from "../service/test-service.js";
import { callGraphql } from "./graphql-client.js";

export interface GraphqlFixture {
  readonly service: TestService;
  readonly account: TestAccount;
  /** Customer keys of the account by scope, and its Testing admin key. */
  readonly keys: { readonly admin: string; readonly read: string; readonly testing: string };
  /** A key of another account. */
  readonly strangerKey: string;
  /** Runs an operation with the admin key. @returns its data @throws Error when the reply has errors */
  run(query: string, variables?: Readonly<Record<string, unknown>>, key?: string): Promise<Data>;
  /** Runs an operation; null means without a key. */
  call(query: string, variables?: Readonly<Record<string, unknown>>, key?: string | null): Promise<RestReply>;
}

/** Untyped reply data. */
export type Data = ReturnType<typeof JSON.parse>;

/** Starts the service for a GraphQL test file. @returns a getter for the fixture */
export function useGraphql(options: TestServiceOptions = {}): () => GraphqlFixture {
  let fixture: GraphqlFixture | undefined;
  beforeAll(async () => {
    const service = await startTestService(options);
    const account = await service.createAccount();
    const stranger = await service.createAccount();
    const keys = {
      admin: (await account.createKey()).secret,
      read: (await account.createKey({ scope: "read" })).secret,
      testing: (await account.createKey({ environment: "Testing" })).secret,
    };
    const call: GraphqlFixture["call"] = (query, variables, key = keys.admin) =>
      callGraphql(service.url, key ?? undefined, query, variables);
    fixture = {
      service,
      account,
      keys,
      strangerKey: (await stranger.createKey()).secret,
      call,
      async run(query, variables, key) {
        const { body } = await call(query, variables, key);
        const { data, errors } = Object(body);
        if (errors) throw new Error(JSON.stringify(errors));
        return data;
      },
    };
  });
  afterAll(() => fixture?.service.close());
  return () => {
    if (!fixture) throw new Error("The fixture is there once the tests run.");
    return fixture;
  };
}
