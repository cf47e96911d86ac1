import { serverAudits } from "graphql-http";
import { expect, test } from "vitest";
import { useGraphql } from "../../support/graphql/graphql-fixture.js";

const graphql = useGraphql();
const url = () => `${graphql().service.url}/graphql`;

// Apollo Server's CSRF prevention: a GET needs a header that a form cannot send.
const BARE_GET = "notice";
/** GraphQL over HTTP audits with deliberate warnings; none may be an error. */
const DEPARTURES: ReadonlyMap<string, typeof BARE_GET> = new Map([
  ["5A70", BARE_GET],
  ["D6D5", BARE_GET],
  ["6A70", BARE_GET],
]);
const audits = serverAudits({ url });

test.each(audits)("$id $name", async ({ id, fn }) => {
  const result = await fn();
  expect(result).toMatchObject({ status: DEPARTURES.get(id) ?? "ok" });
  if (DEPARTURES.has(id)) expect(result).toMatchObject({ response: { status: 400 } });
});

test("every listed deviation occurs in the audits", () => {
  expect(audits.map(({ id }) => id)).toEqual(expect.arrayContaining([...DEPARTURES.keys()]));
});

test("the GET audits pass with a header that a form cannot send", async () => {
  const fetchFn = (input: string, init: RequestInit = {}) =>
    fetch(input, { ...init, headers: { ...init.headers, "apollo-require-preflight": "true" } });
  const results = await Promise.all(
    serverAudits({ url, fetchFn })
      .filter(({ id }) => DEPARTURES.get(id) === BARE_GET)
      .map(({ fn }) => fn()),
  );
  expect(results.map(({ status }) => status)).toEqual(["ok", "ok", "ok"]);
});
