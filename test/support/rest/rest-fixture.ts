import { afterAll, beforeAll, expect } from "vitest";
import {
  startTestService,
  type TestAccount,
  type TestService,
  type TestServiceOptions,
} from "../service/test-service.js";
import { callRest, type RestReply } from "./rest-client.js";

/** Keys of each kind of one account, and calls to /api/user. */
export interface RestFixture {
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
  /** Calls /api/user, with the admin key by default. */
  call(method: string, body?: unknown, key?: string): Promise<RestReply>;
}

/** Starts the service for a REST test file. @returns a getter for the fixture */
export function useRest(options: TestServiceOptions = {}): () => RestFixture {
  let fixture: RestFixture | undefined;
  beforeAll(async () => {
    const service = await startTestService(options);
    const account = await service.createAccount();
    const stranger = await service.createAccount();
    const keys = {
      admin: (await account.createKey()).secret,
      write: (await account.createKey({ scope: "write" })).secret,
      embed: (await account.createKey({ scope: "embed" })).secret,
      read: (await account.createKey({ scope: "read" })).secret,
      testing: (await account.createKey({ environment: "Testing" })).secret,
    };
    fixture = {
      service,
      account,
      keys,
      strangerKey: (await stranger.createKey()).secret,
      call: (method, body, key = keys.admin) => callRest(`${service.url}/api/user`, method, key, body),
    };
  });
  afterAll(() => fixture?.service.close());
  return () => {
    if (!fixture) throw new Error("The fixture is there once the tests run.");
    return fixture;
  };
}

/** Expects a complete error reply. @param error with `fields` if there is more than one */
export function expectError(
  reply: RestReply,
  status: number,
  error: {
    readonly code: string;
    readonly message: unknown;
    readonly field?: string;
    readonly fields?: readonly { readonly field: string; readonly message: unknown }[];
  },
): void {
  const { field, message } = error;
  const fields = field === undefined ? {} : { fields: [{ field, message }] };
  const request_id = reply.headers["x-request-id"];
  expect(reply.body).toEqual({ success: 0, error: { ...fields, ...error, request_id } });
  expect(reply.status).toBe(status);
  expect(reply.headers["cache-control"]).toBe("no-store");
}

/** The user group of a successful reply. */
export function userGroupOf(reply: RestReply): { readonly team_id: number; readonly token: string } {
  const { body } = reply;
  if (typeof body === "object" && body !== null && "user_group" in body) {
    const group = body.user_group;
    if (typeof group === "object" && group !== null && "token" in group && "team_id" in group) {
      const { token, team_id } = group;
      if (typeof token === "string" && typeof team_id === "number") return { token, team_id };
    }
  }
  throw new Error(`The reply has no user group: ${JSON.stringify(body)}`);
}
