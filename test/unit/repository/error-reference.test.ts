import { expect, test } from "vitest";
import { ERROR_MEANINGS } from "../../../src/domain/shared/error-catalogue.js";
import { DomainError, ERROR_CODES, MAX_FIELD_ERRORS } from "../../../src/domain/shared/errors.js";
import { isUserError, statusOf } from "../../../src/graphql/shared/error-format.js";
import { renderError } from "../../../src/rest/error-view.js";

/** The reference of errors, from the catalogue and from how both APIs render them. */
function errorReference(): string {
  const rows = ERROR_CODES.map((code) => {
    const error = new DomainError(code, "message");
    const graphql = isUserError(error) ? "`userErrors`" : statusOf(error);
    const { meaning, advice } = ERROR_MEANINGS[code];
    return `| \`${code}\` | ${renderError(error, "id").status} | ${graphql} | ${meaning} | ${advice} |`;
  });
  return `<!-- Written from the catalogue of errors: npx vitest run test/unit/repository/error-reference.test.ts -u -->

# Errors

A failed REST call has the HTTP status of the table and this body; \`field\` is the path of the first invalid field, where there is one,
\`fields\` lists all of them, up to ${MAX_FIELD_ERRORS}, and \`request_id\` stands in the header \`X-Request-Id\` and in the service's log, too:

\`\`\`json
{"success": 0, "error": {"code": "invalid_field", "message": "name is required.", "field": "name", "fields": [{"field": "name", "message": "name is required."}], "request_id": "…"}}
\`\`\`

GraphQL writes the codes in capitals. When your user can act upon an error, a mutation reports it in its \`userErrors\`, one entry for each invalid field; the table says where. All
else, and everything in queries, is in \`errors[].extensions.code\`; the table has the status of a reply without any data. A query has no
\`userErrors\`: it reports such a code in \`errors[]\` too, with status 400 when it returns no data, as for an argument that is not valid
(\`INVALID_FIELD\`). What is wrong with the
document itself has Apollo's codes, such as \`GRAPHQL_PARSE_FAILED\` and \`GRAPHQL_VALIDATION_FAILED\`.

Codes are only ever added. Treat one that you do not know by its HTTP status.

| code | REST | GraphQL | meaning | what to do |
| --- | --- | --- | --- | --- |
${rows.join("\n")}
`;
}

test("docs/errors.md is current (vitest run test/unit/repository/error-reference.test.ts -u)", async () => {
  await expect(errorReference()).toMatchFileSnapshot("../../../docs/errors.md");
});
