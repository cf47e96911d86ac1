import { readFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { ERRORS, type ErrorCode } from "../../../src/domain/shared/error-catalogue.js";
import { DomainError } from "../../../src/domain/shared/errors.js";
import { statusOf } from "../../../src/graphql/shared/error-format.js";
import {
  DOCUMENT_CODES,
  type DocumentCode,
  type Operation,
  operationsOf,
  provokingTests,
  sendToGraphql,
  sendToRest,
} from "../../support/errors/provocations.js";
import { startGraphql } from "../../support/graphql/graphql-fixture.js";
import { createUserGroup, entry } from "../../support/graphql/user-group-operations.js";

const graphql = await startGraphql();
const MEDIA_TYPES = ["application/json", "application/graphql-response+json"] as const;
const DOCUMENTS: readonly (readonly [DocumentCode, Operation])[] = [
  ["GRAPHQL_PARSE_FAILED", { query: "{" }],
  ["GRAPHQL_VALIDATION_FAILED", { query: "{ nothing }" }],
  ["BAD_USER_INPUT", { query: "query ($id: ID!) { node(id: $id) { id } }", variables: { id: {} } }],
  ["OPERATION_RESOLUTION_FAILURE", { query: "query A { __typename }", operationName: "B" }],
  [
    "PERSISTED_QUERY_NOT_FOUND",
    { extensions: { persistedQuery: { version: 1, sha256Hash: "0".repeat(64) } } },
  ],
];
const errorsWith = (code: string) => ({ errors: [{ extensions: { code } }] });
const statusInGraphql = (code: ErrorCode) => statusOf(new DomainError(code, "No."));

const { token } = await createUserGroup(graphql, "acme", { mapping: [entry("a", "sales")] });

test.each(operationsOf("REST"))("%s over REST", async (code, operation) => {
  expect(await sendToRest(graphql, token, operation)).toMatchObject({
    status: ERRORS[code].status,
    body: { success: 0, error: { code } },
  });
});

describe.each(MEDIA_TYPES)("as %s", (accept) => {
  test.each(operationsOf("errors"))("%s in errors", async (code, operation) => {
    expect(await sendToGraphql(graphql, token, { ...operation, accept })).toMatchObject({
      status: statusInGraphql(code),
      headers: { "content-type": `${accept}; charset=utf-8` },
      body: errorsWith(code.toUpperCase()),
    });
  });

  test.each(operationsOf("userErrors"))("%s in userErrors", async (code, operation) => {
    const { status, body } = await sendToGraphql(graphql, token, { ...operation, accept });
    expect({ status, payloads: Object.values(Object(body).data ?? {}) }).toMatchObject({
      status: 200,
      payloads: [{ userErrors: [{ code: code.toUpperCase() }] }],
    });
  });

  test.each(DOCUMENTS)("%s in errors", async (code, operation) => {
    const { json, graphqlJson } = DOCUMENT_CODES[code];
    const reply = await sendToGraphql(graphql, token, { ...operation, accept });
    expect(JSON.stringify(reply.body)).not.toContain("stacktrace");
    expect(reply).toMatchObject({
      status: accept === "application/json" ? json : graphqlJson,
      body: errorsWith(code),
    });
  });
});

test("every code of documents is provoked", () => {
  expect(DOCUMENTS.map(([code]) => code)).toEqual(Object.keys(DOCUMENT_CODES));
});

test.each(operationsOf("event stream"))("%s for an event stream", async (code, operation) => {
  expect(await sendToGraphql(graphql, token, { ...operation, accept: "text/event-stream" })).toMatchObject({
    status: statusInGraphql(code),
    body: errorsWith(code.toUpperCase()),
  });
});

test.each(provokingTests())("%s is provoked in %s", async (code, path) => {
  const source = await readFile(new URL(`../../../${path}`, import.meta.url), "utf8");
  expect(source.toLowerCase()).toContain(code);
});
