import { expect, test } from "vitest";
import { ERROR_MEANINGS } from "../../../src/domain/shared/error-meanings.js";
import { DomainError, ERROR_CODES, MAX_FIELD_ERRORS } from "../../../src/domain/shared/errors.js";
import { isUserError, statusOf } from "../../../src/graphql/shared/error-format.js";
import { renderError } from "../../../src/rest/error-view.js";

/** Generates the error reference from the catalogue and from how both APIs render it. */
function errorReference(): string {
  const rows = ERROR_CODES.map((code) => {
    const error = new DomainError(code, "message");
    const graphql = isUserError(error) ? "`userErrors`" : statusOf(error);
    const { meaning, advice } = ERROR_MEANINGS[code];
    return `| \`${code}\` | ${renderError(error, "id").status} | ${graphql} | ${meaning} | ${advice} |`;
  });
  return `<!-- Written from the catalogue of errors: npx vitest run test/unit/repository/error-reference.test.ts -u -->

# Errors

A failed REST call has the HTTP status of the table and this body. \`field\` is the path of the first invalid field, \`fields\` lists all of them, up to
${MAX_FIELD_ERRORS}, and \`request_id\` is also in the header \`X-Request-Id\` and in the service's log:

\`\`\`json
{"success": 0, "error": {"code": "invalid_field", "message": "name is required.", "field": "name", "fields": [{"field": "name", "message": "name is required."}], "request_id": "…"}}
\`\`\`

GraphQL writes the codes in capitals. A mutation reports errors that your user can fix in \`userErrors\`, one entry per invalid field. All others, and all errors
of queries, are in \`errors[].extensions.code\`; the table shows the status of a reply without data, which is 400 for a query with a \`userErrors\` code. Errors of
the document have Apollo's codes, such as \`GRAPHQL_PARSE_FAILED\` and \`GRAPHQL_VALIDATION_FAILED\`.

Later versions may add codes. Handle an unknown code by its HTTP status.

| code | REST | GraphQL | meaning | what to do |
| --- | --- | --- | --- | --- |
${rows.join("\n")}
`;
}

test("docs/errors.md is current (vitest run test/unit/repository/error-reference.test.ts -u)", async () => {
  await expect(errorReference()).toMatchFileSnapshot("../../../docs/errors.md");
});
