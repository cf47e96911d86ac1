import { describe, expect, onTestFinished, test, vi } from "vitest";
import {
  createFakePage,
  FakeStream,
  type Fetch,
  group,
  groupReply,
  HOUR_MS,
  next,
  sessionToken,
  silence,
  watch,
} from "../support/clients/fake-page.js";

const pass = (milliseconds: number) => vi.advanceTimersByTimeAsync(milliseconds);
const error = (status: number) => () => Response.json({ errors: [{ message: "No." }] }, { status });
const html = () => new Response("<html>", { headers: { "content-type": "text/html" } });
const unreachable = () => Promise.reject(new TypeError("Failed to fetch"));
const shortStream = () => {
  const stream = new FakeStream(next(group(1)));
  setTimeout(() => stream.cut(), 100);
  return stream.reply;
};
const gapsOf = (times: readonly number[]) => times.slice(1).map((at, index) => at - (times[index] ?? 0));
const openStream = () => new FakeStream(next(group(1))).reply;

describe("failures", () => {
  test.each<[string, Fetch, (() => Response | Promise<Response>)?]>([
    ["500 of the service", error(500)],
    ["a page in its place", html],
    ["an unreachable service", unreachable],
    ["a service that does not answer", silence],
    ["streams that end at once", shortStream],
    ["streams without an event", () => new FakeStream("event: next").reply],
    ["500 of the page's server", openStream, error(500)],
    ["a page in place of a session", openStream, html],
    ["an unreachable page's server", openStream, unreachable],
    ["a page's server that does not answer", openStream, silence],
    ["a rate limit", () => Response.json({}, { status: 429, headers: { "retry-after": "7" } })],
  ])("are repeated soon at first, then more slowly: %s", async (_name, fetch, getSession) => {
    const page = createFakePage(fetch, getSession);
    watch(page);
    await pass(60_000);
    const calls = () => [page.sessions, page.requests.map(({ at }) => at)];
    for (const times of calls()) expect(times.length).toBeLessThanOrEqual(32);
    await pass(HOUR_MS);
    const attempts = getSession
      ? page.sessions
      : page.requests.filter(({ isStream }) => isStream).map(({ at }) => at);
    const gaps = gapsOf(attempts);
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(1_000);
    // With jitter, from five to ten seconds, beside the timeouts.
    expect(Math.max(...gaps)).toBeLessThanOrEqual(31_000);
    expect(Math.min(...gaps.slice(-20))).toBeGreaterThanOrEqual(5_000);
    expect(new Set(gaps.slice(-20).map(Math.round)).size).toBeGreaterThan(5);
    expect(gaps.length).toBeGreaterThan(40);
    // A caller that asks again and again is slowed down, too.
    const before = calls().map(({ length }) => length);
    for (let second = 0; second < 60; second += 1) {
      page.viewer.reload();
      await pass(1_000);
    }
    const more = calls().map(({ length }, index) => length - (before[index] ?? 0));
    expect(Math.max(...more)).toBeLessThanOrEqual(60);
  });

  test.each<[string, Fetch, (() => Response | Promise<Response>)?]>([
    ["401 of the page's server", openStream, error(401)],
    [
      "403 of the page's server",
      openStream,
      () => Promise.reject(Object.assign(new Error("No."), { status: 403 })),
    ],
    ["401 of the service", error(401)],
    ["403 of the service", error(403)],
  ])("sign out and stop: %s", async (_name, fetch, getSession) => {
    const page = createFakePage(fetch, getSession);
    const states = watch(page);
    await pass(HOUR_MS);
    expect(states.at(-1)).toMatchObject({ signedOut: true, isLoading: false, userGroup: undefined });
    expect([page.sessions.length, page.requests.length]).toEqual([1, getSession ? 0 : 1]);
    page.becomeVisible();
    await pass(1_000);
    expect(page.sessions).toHaveLength(2);
    // At most once in five seconds.
    for (let index = 0; index < 10; index += 1) page.becomeVisible();
    await pass(HOUR_MS);
    expect(page.sessions).toHaveLength(3);
    page.answer(openStream, () => ({ token: sessionToken() }));
    page.viewer.reload();
    await pass(1_000);
    expect(states.at(-1)).toMatchObject({ signedOut: false, error: undefined, userGroup: { name: "V1" } });
  });

  test("of a session that the service refuses are answered with one new session", async () => {
    const page = createFakePage(openStream);
    const states = watch(page);
    await pass(1_000);
    page.answer(({ token, isStream }) => {
      if (token === page.requests[0]?.token) return error(401)();
      return isStream ? openStream() : groupReply(2);
    });
    await Promise.all([page.viewer.read(), page.viewer.read()]);
    expect(page.sessions).toHaveLength(2);
    expect(states.at(-1)).toMatchObject({ userGroup: { name: "V2" }, signedOut: false });
  });
});

describe("an outage", () => {
  /** A page that is shown while the service is unreachable. */
  async function openDuring(outageMs: number, getSession?: () => Response | Promise<Response>) {
    const page = createFakePage(unreachable, getSession);
    const states = watch(page);
    await pass(outageMs);
    return { page, states };
  }

  test.each([1, 5, 15, 25])("of %i s is over for the page two seconds later", async (seconds) => {
    const { page, states } = await openDuring(seconds * 1_000);
    page.answer(openStream);
    await pass(2_000);
    expect(states.at(-1)).toMatchObject({ userGroup: { name: "V1" }, error: undefined, isStale: false });
  });

  test("of the page's server too", async () => {
    const { page, states } = await openDuring(15_000, unreachable);
    page.answer(openStream, () => ({ token: sessionToken() }));
    await pass(2_000);
    expect(states.at(-1)).toMatchObject({ userGroup: { name: "V1" }, error: undefined });
  });

  test.each<[string, Fetch]>([
    ["is unreachable", unreachable],
    ["does not answer", silence],
  ])(
    "shows the group as stale two seconds after the stream is gone: the service %s",
    async (_name, fetch) => {
      const stream = new FakeStream(next(group(1)));
      const page = createFakePage(() => stream.reply);
      const states = watch(page);
      await pass(60_000);
      page.answer(fetch);
      stream.cut();
      await pass(2_000);
      expect(states.at(-1)).toMatchObject({ userGroup: { name: "V1" }, isStale: true });
      page.answer(() => new FakeStream(next(group(2))).reply);
      // A request that gets no answer lasts until its timeout.
      await pass(25_000);
      expect(states.at(-1)).toMatchObject({ userGroup: { name: "V2" }, isStale: false });
    },
  );

  test("sends nothing while the page is hidden, and asks at once when it returns", async () => {
    const { page, states } = await openDuring(40_000);
    page.hide();
    await pass(15_000);
    const before = page.requests.length;
    await pass(HOUR_MS);
    expect(page.requests).toHaveLength(before);
    page.answer(openStream);
    page.becomeVisible();
    await pass(100);
    expect(states.at(-1)).toMatchObject({ userGroup: { name: "V1" } });
  });

  test("ends as soon as the browser is online; until then the page seldom tries", async () => {
    const { page, states } = await openDuring(1_000);
    page.getOffline();
    await pass(HOUR_MS);
    const gaps = gapsOf(page.requests.slice(2).map(({ at }) => at));
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(5_000);
    expect(Math.max(...gaps)).toBeLessThanOrEqual(10_000);
    page.answer(openStream);
    page.getOnline();
    await pass(1_100);
    expect(states.at(-1)).toMatchObject({ userGroup: { name: "V1" } });
  });

  test("short streams that deliver are followed by the next one within a second", async () => {
    const page = createFakePage(() => {
      const stream = new FakeStream(next(group(1)));
      setTimeout(() => stream.cut(), 5_000);
      return stream.reply;
    });
    const states = watch(page);
    await pass(60_000);
    expect(Math.max(...gapsOf(page.requests.map(({ at }) => at)))).toBeLessThanOrEqual(6_100);
    expect(states.filter(({ isStale }) => isStale)).toEqual([]);
  });
});

describe("fetch", () => {
  const SERVICE = "https://groups.example.com/graphql";
  const query = { method: "POST", body: '{"query":"{ viewer { userGroup { name } } }"}' };
  const settled = async (call: Promise<Response>) => {
    const outcome = await call.catch((failure: unknown) => failure);
    return outcome instanceof Response ? outcome.status : outcome;
  };

  test.each<[string, Fetch]>([
    ["an unreachable service", unreachable],
    ["503", error(503)],
    ["a service that does not answer", silence],
  ])("repeats a request to the service during an outage: %s", async (_name, fetch) => {
    const page = createFakePage(fetch);
    const reply = page.viewer.fetch(SERVICE, query);
    await pass(15_000);
    page.answer(() => groupReply(1));
    await pass(fetch === silence ? 10_000 : 2_000);
    expect(await (await reply).json()).toMatchObject({ data: { viewer: { userGroup: { name: "V1" } } } });
  });

  test("repeats neither what the service refuses nor calls of other services", async () => {
    const page = createFakePage(error(400));
    expect(await settled(page.viewer.fetch(SERVICE, query))).toBe(400);
    page.answer(error(503));
    expect(await settled(page.viewer.fetch("https://data.example.com/rows", query))).toBe(503);
    expect(page.requests).toHaveLength(2);
    page.answer(error(401));
    const refused = settled(page.viewer.fetch(SERVICE, query));
    await pass(10_000);
    expect(await refused).toMatchObject({ code: "unauthenticated", status: 401 });
  });

  test("gives up after `retryForMs`, or when it is aborted", async () => {
    const page = createFakePage(unreachable, undefined, { retryForMs: 10_000 });
    const late = settled(page.viewer.fetch(SERVICE, query));
    const abort = new AbortController();
    const aborted = settled(page.viewer.fetch(SERVICE, { ...query, signal: abort.signal }));
    await pass(3_000);
    abort.abort();
    expect(await aborted).toMatchObject({ name: "AbortError" });
    await pass(10_000);
    expect(await late).toBeInstanceOf(TypeError);
  });

  test("reports that an event stream is gone, and that it is back", async () => {
    const streams: FakeStream[] = [];
    const page = createFakePage(() => {
      const stream = new FakeStream(next(group(streams.length)));
      streams.push(stream);
      return stream.reply;
    });
    const reported: boolean[] = [];
    onTestFinished(page.viewer.watchConnection((isStale) => void reported.push(isStale)));
    const open = async (signal?: AbortSignal) => {
      const reply = await page.viewer.fetch(SERVICE, {
        ...query,
        headers: { accept: "text/event-stream" },
        ...(signal && { signal }),
      });
      return reply.text().catch(() => "cut");
    };
    const first = open();
    await pass(60_000);
    streams[0]?.cut();
    await pass(1_000);
    expect(reported).toEqual([false]);
    await pass(1_000);
    expect([await first, reported]).toEqual(["cut", [false, true]]);
    const stop = new AbortController();
    const second = open(stop.signal);
    await pass(100);
    expect(reported).toEqual([false, true, false]);
    // A stream that the page ends is not missed.
    stop.abort();
    await pass(HOUR_MS);
    expect([await second, reported]).toEqual(["cut", [false, true, false]]);
  });
});

test.each([0, -HOUR_MS * 24, HOUR_MS * 24])(
  "a session is renewed by its lifetime, with a clock that is %i ms off",
  async (off) => {
    const session = () => ({ token: sessionToken({ iat: 5_000, exp: 5_060, n: Math.random() }) });
    const page = createFakePage(() => groupReply(1), session);
    vi.setSystemTime(Date.now() + off);
    const read = async (afterMs: number) => {
      await pass(afterMs);
      await page.viewer.read();
      return page.sessions.length;
    };
    expect([await read(0), await read(53_000), await read(2_000), await read(50_000)]).toEqual([1, 1, 2, 2]);
  },
);

describe("watching", () => {
  test("shares one connection, which ends with the last listener", async () => {
    const page = createFakePage(openStream);
    const stops = [page.viewer.watch(() => undefined), page.viewer.watch(() => undefined)];
    stops[0]?.();
    const again = watch(page);
    await pass(1_000);
    expect(page.requests).toHaveLength(1);
    expect(again.map(({ userGroup, isLoading }) => [userGroup?.name, isLoading])).toEqual([
      [undefined, true],
      [undefined, true],
      ["V1", false],
    ]);
  });

  test("shows no older version over a newer one, whatever arrives first", async () => {
    const stream = new FakeStream(next(group(3)));
    const page = createFakePage(({ isStream }) => (isStream ? stream.reply : groupReply(2)));
    const states = watch(page);
    await pass(10_000);
    page.becomeVisible();
    await pass(100);
    stream.send(next(group(1)));
    await pass(100);
    stream.send(next(group(4)));
    stream.send(next(group(1, { id: "another" })));
    await pass(100);
    const names = states.map(({ userGroup }) => userGroup?.name).filter((name) => name !== undefined);
    expect(page.requests).toHaveLength(2);
    expect(names).toEqual(["V3", "V3", "V3", "V4", "V1"]);
  });

  test("reconnects within a second, without an error, when a long stream is cut", async () => {
    let stream = new FakeStream(next(group(1)));
    const page = createFakePage(() => stream.reply);
    const states = watch(page);
    await pass(12_000);
    const first = stream;
    stream = new FakeStream(next(group(2)));
    first.cut();
    await pass(1_100);
    expect(states.at(-1)).toMatchObject({ userGroup: { name: "V2" }, isStale: false });
    expect(states.filter(({ error: failure }) => failure !== undefined)).toEqual([]);
    expect(page.sessions).toHaveLength(1);
  });

  test.each([
    [
      "events in pieces",
      [next(group(1)).slice(0, 20), `${next(group(1)).slice(20)}:\n\n`],
      { userGroup: { name: "V1" } },
    ],
    ["a deletion", [next(group(1)), next(null)], { userGroup: undefined, error: { code: "deleted" } }],
    [
      "the end without a deletion",
      [next(group(1)), "event: complete\n\n"],
      { userGroup: undefined, error: { code: "deleted" } },
    ],
    [
      "an error before the end",
      [
        next(group(1)),
        'event: next\ndata: {"errors":[{"message":"No.","extensions":{"code":"QUERY_TOO_EXPENSIVE"}}]}\n\nevent: complete\n\n',
      ],
      { userGroup: { name: "V1" }, isStale: true, error: { code: "query_too_expensive" } },
    ],
  ])("understands %s", async (_name, texts, expected) => {
    const stream = new FakeStream();
    const page = createFakePage(() => stream.reply);
    const states = watch(page);
    for (const text of texts) {
      await pass(100);
      stream.send(text);
    }
    await pass(100);
    expect(states.at(-1)).toMatchObject(expected);
  });

  test("ends a silent stream, and reads where a proxy holds events back", async () => {
    const page = createFakePage(openStream);
    const states = watch(page);
    await pass(30_000);
    expect(page.requests).toHaveLength(1);
    page.answer(({ isStream }) => (isStream ? silence() : groupReply(7)));
    await pass(25_000);
    expect(states.at(-1)).toMatchObject({ userGroup: { name: "V7" }, error: undefined });
    expect(page.requests.map(({ isStream }) => isStream).slice(0, 3)).toEqual([true, true, false]);
  });

  test("reads as long as the service opens no further stream", async () => {
    const limit = () => Response.json({}, { status: 429, headers: { "retry-after": "30" } });
    const page = createFakePage(({ isStream }) => (isStream ? limit() : groupReply(1)));
    const states = watch(page);
    await pass(29_000);
    expect(page.requests).toHaveLength(2);
    page.answer(({ isStream }) => (isStream ? limit() : groupReply(2)));
    await pass(2_000);
    expect(states.at(-1)).toMatchObject({ userGroup: { name: "V2" }, isStale: false });
    expect(states.filter(({ error: failure }) => failure !== undefined)).toEqual([]);
  });

  test("survives the error of a listener", async () => {
    const page = createFakePage(openStream);
    const uncaught: (() => void)[] = [];
    vi.stubGlobal("queueMicrotask", (task: () => void) => void uncaught.push(task));
    page.viewer.watch(() => {
      throw new Error("mine");
    })();
    const states = watch(page);
    await pass(1_000);
    expect(states.at(-1)).toMatchObject({ userGroup: { name: "V1" } });
    expect(uncaught[0]).toThrow("mine");
  });
});
