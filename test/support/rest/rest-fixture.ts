import { expect } from "vitest";
import { type GraphqlFixture, useGraphql } from "../graphql/graphql-fixture.js";
import type { TestServiceOptions } from "../service/test-service.js";
import type { RestReply } from "./rest-client.js";

/** The fixture of a REST test file, which calls /api/user. */
export interface RestFixture extends Omit<GraphqlFixture, "call"> {
  readonly call: GraphqlFixture["rest"];
}

/** Starts the service for a REST test file. @returns a getter for the fixture */
export function useRest(options: TestServiceOptions = {}): () => RestFixture {
  const graphql = useGraphql(options);
  return () => ({ ...graphql(), call: graphql().rest });
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
