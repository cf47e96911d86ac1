import { expect, test } from "vitest";
import { callRest } from "../../support/rest/rest-client.js";
import { startService } from "../../support/service/test-service.js";

const BROWSER_ACCEPT = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";
const PREFLIGHT = { "apollo-require-preflight": "true" };
const TYPENAME = `/graphql?query=${encodeURIComponent("{ __typename }")}`;
const CSRF = { errors: [{ message: expect.stringContaining("Cross-Site Request Forgery") }] };
const ANSWER = { status: 200, body: { data: { __typename: "Query" } } };

type Headers = Readonly<Record<string, string | undefined>>;

const service = await startService();
const reduced = await startService({ use: service, playground: false, introspection: false });

const get = (headers: Headers, url = service.url, path = TYPENAME) =>
  callRest(url + path, "GET", undefined, undefined, headers);
const post = (headers: Headers) =>
  callRest(`${service.url}/graphql`, "POST", undefined, { query: "{ __typename }" }, headers);

test("the playground is not served to other clients, nor to browsers where it is disabled", async () => {
  for (const accept of ["*/*", "application/json"])
    expect(await get({ accept, ...PREFLIGHT })).toMatchObject(ANSWER);
  const headers = { accept: BROWSER_ACCEPT };
  expect(await post(headers)).toMatchObject(ANSWER);
  expect(await get(headers, reduced.url, "/graphql")).toMatchObject({ status: 400, body: CSRF });
  expect(await get({ ...headers, ...PREFLIGHT }, reduced.url)).toMatchObject(ANSWER);
});

test("requests that a cross-site page can make a browser send are rejected", async () => {
  expect(await get({ accept: "*/*" })).toMatchObject({ status: 400, body: CSRF });
  for (const accept of ["*/*", "text/event-stream", "text/event-stream, */*"]) {
    expect(await post({ accept, "content-type": undefined })).toMatchObject({ status: 400, body: CSRF });
  }
  for (const type of ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data"]) {
    expect(await post({ "content-type": type })).toMatchObject({
      status: 415,
      body: { errors: [{ extensions: { code: "UNSUPPORTED_MEDIA_TYPE" } }] },
    });
  }
});
