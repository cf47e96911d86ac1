import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { databaseUrl } from "../support/postgres/database-url.js";
import { createTestDatabase, type TestDatabase } from "../support/postgres/test-database.js";
import { createTestProcesses, type RunningService } from "../support/service/running-process.js";
import { goodSite } from "../support/site-configs/store.js";

const processes = createTestProcesses();
/** Minimum number of other replies while a document is processed: a blocked event loop would allow hardly any. */
const MIN_ANSWERED = 5;
/** The number of concurrent requests of one kind. */
const AT_ONCE = 2;
let database: TestDatabase;
let service: RunningService;
let key: string;

beforeAll(async () => {
  database = await createTestDatabase();
  const env = {
    DATABASE_URL: databaseUrl(database.target),
    ENCRYPTION_KEYS: randomBytes(32).toString("base64"),
    NODE_OPTIONS: "--max-old-space-size=384",
  };
  const create = ["key", "create", "--account", "A", "--environment", "Customer", "--scope", "write"];
  await processes.run(["account", "create", "A"], { env });
  key = (await processes.run(create, { env })).stdout.trim();
  service = await processes.serve({ env });
  await call("query ($text: String!) { validateSiteConfig(source: { text: $text }) { isValid } }", {
    text: many(200_000, "1,"),
  });
});
afterAll(async () => {
  await processes.close();
  await database.drop();
});

const many = (count: number, text: string) => text.repeat(count);
const list = (count: number, item: unknown) => Array.from({ length: count }, () => item);

async function call(query: string, variables: object): Promise<{ status: number; text: string }> {
  const response = await fetch(`${service.url}/graphql`, {
    method: "POST",
    headers: { authorization: `Token ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ query, variables }),
  });
  return { status: response.status, text: await response.text() };
}

/** Polls /livez while a function runs. @returns the number of replies meanwhile */
async function countAnswered(work: Promise<unknown>): Promise<number> {
  let isOver = false;
  const over = work.finally(() => {
    isOver = true;
  });
  let answered = 0;
  while (!isOver) {
    const response = await fetch(`${service.url}/livez`);
    await response.arrayBuffer();
    expect(response.status).toBe(200);
    if (!isOver) answered += 1;
  }
  await over;
  return answered;
}

const check =
  "query ($text: String!) { validateSiteConfig(source: { text: $text }) { isValid errors { code } } }";
const checkDocument =
  "query ($document: JSON!) { validateSiteConfig(source: { document: $document }) { isValid } }";
const put = `mutation ($input: PutSiteConfigInput!) {
  putSiteConfig(input: $input) { siteConfig { revision } userErrors { message } }
}`;
const patch = `mutation ($input: PatchSiteConfigInput!) {
  patchSiteConfig(input: $input) { siteConfig { revision } userErrors { message } }
}`;
const aliased = (count: number) =>
  `query ($document: JSON!) { ${Array.from({ length: count }, (_, id) => `a${id}: validateSiteConfig(source: { document: $document }) { isValid }`).join(" ")} }`;
const wrongAnchors = { ...goodSite, anchors: list(60_000, { nmae: "a", ulr: "b" }) };
const unknownNames = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, id) => [`navigatoi${id}`, 0]));
const large = { ...goodSite, zeros: list(200_000, 0), pad: "x".repeat(1_500_000) };

describe.each([
  ["a text of empty lines", check, { text: `{${many(1_900_000, "\n")}x` }],
  ["a text with 60,000 wrong anchors", check, { text: JSON.stringify(wrongAnchors) }],
  ["a document with 60,000 wrong anchors", checkDocument, { document: wrongAnchors }],
  ["a document with unknown names under 20 aliases", aliased(20), { document: unknownNames(10_000) }],
  ["a large document that is stored", put, { input: { site: "put", source: { document: large } } }],
  ["a large patch", patch, { input: { site: "put", patch: { zeros: list(199_000, 0) } } }],
  ["the diff of large revisions", '{ siteConfig(site: "put") { diff(from: 1) report { isValid } } }', {}],
])("%s", (_, query, variables) => {
  test("is processed while other requests are served", async () => {
    const replies: { status: number; text: string }[] = [];
    const work = Promise.all(
      list(AT_ONCE, null).map(async () => {
        replies.push(await call(query, variables));
      }),
    );
    const answered = await countAnswered(work);
    // The last alias has more findings than one reply can contain.
    for (const { text } of replies) expect(text).toMatch(/"isValid":|"revision":|"QUERY_TOO_EXPENSIVE"/);
    expect(replies.map(({ status }) => status).filter((status) => status >= 500)).toEqual([]);
    expect(answered).toBeGreaterThan(MIN_ANSWERED);
  });
});

test("too many concurrent ones get 503, and the service recovers", async () => {
  const variables = { text: JSON.stringify(wrongAnchors) };
  const replies = await Promise.all(list(16, null).map(() => call(check, variables)));
  const refused = replies.filter(({ text }) => text.includes('"UNAVAILABLE"'));
  const served = replies.filter(({ text }) => text.includes('"isValid":false'));
  expect(refused.length + served.length).toBe(16);
  expect(refused.length).toBeGreaterThan(0);
  expect(served.length).toBeGreaterThan(0);
  expect((await call(check, variables)).text).toContain('"isValid":false');
});

test("the process shuts down gracefully while the thread is busy", async () => {
  const replies = Promise.allSettled(
    list(3, null).map(() => call(check, { text: JSON.stringify(wrongAnchors) })),
  );
  await sleep(50);
  service.kill("SIGTERM");
  const { code, stderr } = await service.ended;
  await replies;
  expect(code).toBe(0);
  expect(stderr.split("\n").filter((line) => line.includes('"level":50'))).toEqual([]);
});
