import { expect, test } from "vitest";
import { ERROR_CODES, ERRORS, type ErrorCode } from "../../../src/domain/shared/error-catalogue.js";
import { DomainError, MAX_FIELD_ERRORS } from "../../../src/domain/shared/errors.js";
import { isUserError, statusOf } from "../../../src/graphql/shared/error-format.js";
import { openApiDocument } from "../../../src/http/openapi/document.js";
import { renderError } from "../../../src/rest/errors.js";
import { DOCUMENT_CODES, type Place, placesOf } from "../../support/errors/provocations.js";

const NONE = "–";
/** How the table names the places in GraphQL. */
const LABELS: Readonly<Record<Place, string>> = {
  REST: "REST",
  errors: "`errors`",
  userErrors: "`userErrors`",
  "event stream": "event stream",
  "last event": "last event",
  "end of a stream": "end of a stream",
};

/** Places of replies whose status was sent before the error occurred. */
const STARTED: readonly Place[] = ["userErrors", "last event", "end of a stream"];

/** Returns the row of a code, with the statuses that both APIs give to its error. */
function rowOf(code: ErrorCode): string {
  const places = placesOf(code);
  const error = new DomainError(code, "message");
  const rest = places.includes("REST") ? renderError(error, "id").status : NONE;
  const statuses = places
    .filter((place) => place !== "REST")
    .map((place) => (STARTED.includes(place) ? 200 : statusOf(error)));
  const graphql = [...new Set(statuses)].toSorted().join(" / ") || NONE;
  const { meaning, advice } = ERRORS[code];
  const labels = places.map((place) => LABELS[place]).join(", ");
  return `| \`${code}\` | ${rest} | ${graphql} | ${labels} | ${meaning}<br>${advice} |`;
}

/** Generates the error reference from the catalogue, from how both APIs render it, and from where tests provoke it. */
function errorReference(): string {
  const documentRows = Object.entries(DOCUMENT_CODES).map(
    ([code, { json, graphqlJson, meaning, advice }]) =>
      `| \`${code}\` | ${NONE} | ${json === graphqlJson ? json : `${json} or ${graphqlJson}`} | ${LABELS.errors} | ${meaning}<br>${advice} |`,
  );
  return `<!-- Written from the catalogue of errors: npx vitest run test/unit/repository/error-reference.test.ts -u -->

# Errors

A failed REST call has the HTTP status of the table and this body. \`field\` is the path of the first invalid field, \`fields\` lists all of them, up to
${MAX_FIELD_ERRORS}, and \`request_id\` is also in the header \`X-Request-Id\` and in the service's log:

\`\`\`json
{
  "success": 0,
  "error": {
    "code": "invalid_field",
    "message": "name is required.",
    "field": "name",
    "fields": [{"field": "name", "message": "name is required."}],
    "request_id": "…"
  }
}
\`\`\`

GraphQL writes the codes in capitals:

- A mutation reports errors that your user can fix in \`userErrors\` with status 200, one entry per invalid field.
- All other errors are in \`errors[].extensions.code\`. The status is that of the table if the reply has no data, and 200 if other fields have data.
- A subscription over server-sent events that cannot start gets the same reply (event stream), with \`BAD_REQUEST\` for every error in its document
  or variables. Once it has started, the status is 200. Its last event has an error that would occur again; after any other (end of a
  stream) the connection ends, over a WebSocket with the message as the reason, and the client subscribes again.

In the column GraphQL, "200 / 400" means 200 for \`userErrors\` or a stream, and 400 for a reply without data. "200 or 400" depends on the media
type that your client accepts: 200 for \`application/json\`, 400 for \`application/graphql-response+json\`.

Later versions may add codes. Handle an unknown code by its HTTP status.

| code | REST | GraphQL | where | meaning and what to do |
| --- | --- | --- | --- | --- |
${[...ERROR_CODES.map(rowOf), ...documentRows].join("\n")}
`;
}

test("docs/errors.md is current (vitest run test/unit/repository/error-reference.test.ts -u)", async () => {
  await expect(errorReference()).toMatchFileSnapshot("../../../docs/errors.md");
});

test("every code occurs somewhere, and in `userErrors` exactly if the end user can fix it", () => {
  for (const code of ERROR_CODES) {
    expect(placesOf(code), code).not.toEqual([]);
    expect(placesOf(code).includes("userErrors"), code).toBe(isUserError(new DomainError(code, "message")));
  }
});

test("the codes in the OpenAPI document occur over REST", () => {
  const documented = [...JSON.stringify(openApiDocument("0")).matchAll(/"error":\{"code":"(\w+)"/g)].map(
    ([, code]) => code,
  );
  const overRest: readonly string[] = ERROR_CODES.filter((code) => placesOf(code).includes("REST"));
  expect(documented.length).toBeGreaterThan(10);
  expect(documented.filter((code = "") => !overRest.includes(code))).toEqual([]);
});
