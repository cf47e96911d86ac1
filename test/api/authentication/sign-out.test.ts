import { randomBytes, randomUUID } from "node:crypto";
import { PassThrough } from "node:stream";
import { setTimeout } from "node:timers/promises";
import { request } from "undici";
import { afterAll, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { MAX_KEY_CACHE_MS } from "../../../src/services/accounts/key-cache.js";
import { ROLES_VALID_MS } from "../../../src/services/authentication/console-sessions.js";
import {
  type EventStream,
  expectCutOff,
  followEvents,
  followInConsole,
} from "../../support/graphql/event-stream-client.js";
import { connectSocket, openSocket, subscribe } from "../../support/graphql/web-socket-client.js";
import { holdTransaction } from "../../support/postgres/held-transaction.js";
import { olderSession, startIdentityProvider } from "../../support/programs/identity-provider.js";
import { CookieBrowser } from "../../support/rest/cookie-browser.js";
import { callRest, type RestReply } from "../../support/rest/rest-client.js";
import { startService } from "../../support/service/test-service.js";

const FOLLOW = "subscription { userGroupChanged { kind } }";
const VIEWER = "{ viewer { scope } }";
const SESSION = "user_groups_session";
const idp = await startIdentityProvider();
afterAll(() => idp.close());
const identityProvider = idp.options([
  { claim: "groups", value: "platform", account: "demo", scope: "admin" },
]);
const [encryptionKey, nextKey] = [randomBytes(32), randomBytes(32)];
const options = { console: true, identityProvider, encryptionKey };
const service = await startService(options);
const { url, services } = service;
/** Other processes on the same database; one of them has begun a rotation of encryption keys. */
const processes = [
  service,
  await startService({ ...options, use: service }),
  await startService({ ...options, use: service, encryptionKey: nextKey, formerKeys: [encryptionKey] }),
];
/** Another one, which soon gives up. */
const hasty = await startService({ ...options, use: service, lockTimeoutMs: 200 });
idp.serve(url);
const { accountId } = await services.accounts.ensure("demo");
const keys = { ada: await createKey("ada"), eve: await createKey("eve") };
beforeEach(() => {
  Object.assign(idp, { visitor: "ada", isDown: false });
  for (const name of ["ada", "eve"]) idp.people.set(name, { groups: ["platform"], name });
});

/** Why sign-outs cannot be read or recorded, with the reply. */
const FAULTS: readonly (readonly [string, number, string, () => Promise<() => Promise<unknown>>])[] = [
  [
    "locked",
    503,
    "unavailable",
    async () => {
      const lock = await holdTransaction(service, "LOCK ended_console_session IN ACCESS EXCLUSIVE MODE");
      return () => lock.commit();
    },
  ],
  [
    "missing",
    500,
    "internal",
    async () => {
      const rename = (from: string, to: string) => service.query(`ALTER TABLE ${from} RENAME TO ${to}`);
      const [name, other] = ["ended_console_session", "hidden"];
      await rename(name, other);
      onTestFinished(async () => {
        await service.query(`ALTER TABLE IF EXISTS ${other} RENAME TO ${name}`);
      });
      return () => rename(other, name);
    },
  ],
];

/** How sessions of two visitors start. */
const VISITORS: Readonly<Record<string, (visitor: "ada" | "eve") => Promise<string>>> = {
  "a person": signIn,
  "an API key": async (visitor) => {
    const headers = { "x-console": "session" };
    const reply = await callRest(
      `${url}/console/session`,
      "POST",
      undefined,
      { api_key: keys[visitor] },
      headers,
    );
    return sessionIn(reply) ?? "";
  },
};

describe.each(
  Object.entries(VISITORS).flatMap(([kind, start]) => [
    { path: "session", isEverywhere: false, kind, start },
    { path: "sessions", isEverywhere: true, kind, start },
  ]),
)("DELETE /console/$path of $kind", ({ path, isEverywhere, kind, start }) => {
  test("refuses all copies of the cookie at once in every process", async () => {
    const [cookie, others, eve] = [await start("ada"), await start("ada"), await start("eve")];
    expect(await statuses(cookie)).toEqual([200, 200, 200]);
    const reply = await call(`/console/${path}`, "DELETE", cookie);
    const atProvider = { status: 200, body: { sign_out_url: expect.stringContaining(idp.url) } };
    expect(reply).toMatchObject(kind === "a person" ? atProvider : { status: 204 });
    expect(String(reply.headers["set-cookie"])).toMatch(`${SESSION}=; Max-Age=0`);
    expect(await statuses(cookie)).toEqual([401, 401, 401]);
    expect((await call("/console/session", "GET", cookie)).body).toEqual({ environments: [] });
    expect((await call("/console/session/refresh", "POST", cookie)).status).toBe(401);
    const create = `mutation { createApiKey(input: { name: "later", scope: ADMIN }) { secret } }`;
    expect((await graphql(url, cookie, create)).status).toBe(401);
    expect(await statuses(others)).toEqual(isEverywhere ? [401, 401, 401] : [200, 200, 200]);
    expect(await statuses(eve)).toEqual([200, 200, 200]);
    expect(await statuses(await start("ada"))).toEqual([200, 200, 200]);
  });

  test("ends the open streams of the session in every process, and those of others only with their own", async () => {
    const [cookie, others, eve] = [await start("ada"), await start("ada"), await start("eve")];
    const authorization = `Token ${keys.ada}`;
    const ended: EventStream[] = [];
    const open: { next(): Promise<unknown> }[] = [];
    for (const { url: to } of processes) {
      ended.push(await followInConsole(to, cookie));
      (isEverywhere ? ended : open).push(await followInConsole(to, others));
      open.push(await followInConsole(to, eve), await followEvents(to, authorization, FOLLOW));
      const socket = await connectSocket(to, authorization);
      socket.send(subscribe("1", FOLLOW));
      open.push(socket);
    }
    await call(`/console/${path}`, "DELETE", cookie);
    for (const stream of ended) await expectCutOff(stream);
    await createUserGroup(eve);
    for (const stream of open) expect(JSON.stringify(await stream.next())).toContain("CREATED");
    expect((await followInConsole(url, cookie)).status).toBe(401);
  });

  test("also ends a request whose body arrives later", async () => {
    const [cookie, eve] = [await start("ada"), await start("eve")];
    const slow = [cookie, eve].map((each) => startSlowRequest(each));
    // The service checks again what it has read longer ago than API keys are cached.
    await setTimeout(MAX_KEY_CACHE_MS + 200);
    await call(`/console/${path}`, "DELETE", cookie);
    expect(await Promise.all(slow.map((finish) => finish()))).toEqual([401, 200]);
  });

  test.each(FAULTS)(
    "is refused while the sign-outs are %s, and nobody is admitted",
    async (_fault, status, code, hide) => {
      const [cookie, eve] = [await start("ada"), await start("eve")];
      const restore = await hide();
      const inGraphql = { status, body: { errors: [{ extensions: { code: code.toUpperCase() } }] } };
      for (const each of [cookie, eve]) {
        expect(await graphql(hasty.url, each, VIEWER)).toMatchObject(inGraphql);
        expect(await followInConsole(hasty.url, each)).toMatchObject(inGraphql);
      }
      const ways = [
        call("/console/session", "GET", cookie, hasty.url),
        call(`/console/${path}`, "DELETE", cookie, hasty.url),
      ];
      for (const reply of await Promise.all(ways)) {
        expect(reply).toMatchObject({ status, body: { success: 0, error: { code } } });
        expect(reply.headers["set-cookie"]).toBeUndefined();
      }
      await restore();
      for (const each of [cookie, eve]) expect(await statuses(each)).toEqual([200, 200, 200]);
    },
  );
});

test.each(Object.entries(VISITORS))("the cookie of %s opens no WebSocket", async (_, start) => {
  const cookie = await start("ada");
  for (const each of [cookie, `${cookie}x`]) {
    const socket = await openSocket(url, { headers: { cookie: each, "x-console": "Customer" } });
    socket.send({ type: "connection_init" });
    expect(await socket.closed()).toMatchObject({ code: 4403 });
  }
});

describe.each(["session", "sessions"])("DELETE /console/%s of a person", (path) => {
  test("also revokes the refresh token", async () => {
    await call(`/console/${path}`, "DELETE", await signIn());
    expect(idp.requests).toContain("POST /token/revocation");
  });

  test("also ends what a refresh at the same time returns", async () => {
    const cookie = await olderRoles(await signIn());
    idp.delayMs = 200;
    const refreshing = call("/console/session/refresh", "POST", cookie);
    await expect.poll(() => idp.requests.at(-1)).toBe("POST /token");
    await call(`/console/${path}`, "DELETE", cookie);
    idp.delayMs = 0;
    const reply = await refreshing;
    const renewed = sessionIn(reply);
    if (renewed !== undefined) expect(await statuses(renewed)).toEqual([401, 401, 401]);
    // The provider has revoked the refresh token first.
    else expect(reply.status).toBeGreaterThanOrEqual(400);
  });
});

test("sessions in quick succession do not end each other", async () => {
  for (let count = 0; count < 5; count += 1) {
    const cookie = await signIn();
    expect(await statuses(cookie)).toEqual([200, 200, 200]);
    await call("/console/sessions", "DELETE", cookie);
    expect(await statuses(cookie)).toEqual([401, 401, 401]);
  }
  const { consoleSessions } = services;
  const person = { issuer: "i", id: "a", name: "a", roles: [], account: "demo", rolesReadAt: Date.now() };
  for (let count = 0; count < 20; count += 1) {
    const before = { ...person, ...(await consoleSessions.begin()) };
    await consoleSessions.end({ keys: {}, person: before }, true);
    const after = { ...person, ...(await consoleSessions.begin()) };
    expect(await isOpen(before)).toBe(false);
    expect(await isOpen(after)).toBe(true);
  }

  async function isOpen(of: typeof person & { sessionId: string; signedInAt: number }) {
    const token = await consoleSessions.encrypt({ keys: {}, person: of });
    return (await consoleSessions.open(token))?.person !== undefined;
  }
});

test("sign-outs are purged once their sessions have expired, and name nobody", async () => {
  await call("/console/sessions", "DELETE", await signIn());
  const rows = await service.query("SELECT row::text AS text FROM ended_console_session AS row");
  expect(rows.length).toBeGreaterThan(0);
  for (const { text } of rows) expect(text).toMatch(/^\("\\\\x[0-9a-f]{64}","[\d:.+ -]+"\)$/);
  const purged = async () => (await services.purgeJob.run())?.get("ended_console_sessions");
  await service.query("UPDATE ended_console_session SET valid_from = now() - interval '23 hours 59 minutes'");
  expect(await purged()).toBe(0);
  await service.query("UPDATE ended_console_session SET valid_from = now() - interval '24 hours 1 minute'");
  expect(await purged()).toBe(rows.length);
});

async function createKey(name: string): Promise<string> {
  const key = { environment: "Customer", scope: "admin", name, expiresAt: null } as const;
  return (await services.accounts.createKey({ accountId }, key)).secret;
}

/** Signs in with a browser of its own. @returns the session's cookie */
async function signIn(visitor = "ada"): Promise<string> {
  idp.visitor = visitor;
  const browser = new CookieBrowser();
  await browser.signIn(url);
  return `${SESSION}=${browser.get(url, SESSION)}`;
}

async function olderRoles(cookie: string): Promise<string> {
  const token = cookie.slice(SESSION.length + 1);
  return `${SESSION}=${await olderSession(services.consoleSessions, token, { rolesMs: ROLES_VALID_MS })}`;
}

async function call(path: string, method: string, cookie: string, to = url) {
  const headers = { cookie, "x-console": "Customer" };
  return callRest(to + path, method, undefined, undefined, headers);
}

/** The replies to a query in each process. */
async function replies(cookie: string): Promise<RestReply[]> {
  return Promise.all(processes.map((each) => graphql(each.url, cookie, VIEWER)));
}

async function statuses(cookie: string): Promise<number[]> {
  return (await replies(cookie)).map(({ status }) => status);
}

function sessionIn({ headers }: RestReply): string | undefined {
  return /user_groups_session=[\w.-]+/.exec(String(headers["set-cookie"]))?.[0];
}

async function createUserGroup(cookie: string): Promise<void> {
  const mutation = `mutation { createUserGroup(input: { providedId: "${randomUUID()}", name: "N" }) { userErrors { code } } }`;
  expect(await graphql(url, cookie, mutation)).toMatchObject({
    body: { data: { createUserGroup: { userErrors: [] } } },
  });
}

/** Sends a query without the last byte of its body. @returns a function that sends it and waits for the status */
function startSlowRequest(cookie: string): () => Promise<number> {
  const body = new PassThrough();
  const text = JSON.stringify({ query: VIEWER });
  body.write(text.slice(0, -1));
  const headers = { cookie, "x-console": "Customer", "content-type": "application/json" };
  const reply = request(`${url}/graphql`, { method: "POST", headers, body });
  return async () => {
    body.end(text.slice(-1));
    const { statusCode, body: received } = await reply;
    await received.dump();
    return statusCode;
  };
}

async function graphql(to: string, cookie: string, query: string) {
  return callRest(`${to}/graphql`, "POST", undefined, { query }, { cookie, "x-console": "Customer" });
}
