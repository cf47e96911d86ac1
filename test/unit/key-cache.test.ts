import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { KeyCache, MAX_KEY_AGE_MS } from "../../src/services/accounts/key-cache.js";

const TTL_MS = 500;
const KEY = {
  keyId: 1,
  keyName: "back end",
  environment: "Customer",
  scope: "read",
  accountId: 1,
  accountName: "Acme",
  tokenKeyId: "one",
  expiresAt: null,
} as const;

beforeEach(() => void vi.useFakeTimers({ toFake: ["performance", "Date"] }));
afterEach(() => void vi.useRealTimers());

/** A cache, its notifications, and how often it queried the database. */
function start() {
  const notifications = { completeSince: performance.now() };
  const cache = new KeyCache(TTL_MS, notifications, () => undefined);
  let queries = 0;
  const find = async () =>
    cache.find("secret", undefined, async () => {
      queries += 1;
      return KEY;
    });
  return { notifications, cache, find, queries: () => queries };
}

describe("the cache of API keys", () => {
  test.each([
    ["five seconds while notifications arrive", MAX_KEY_AGE_MS, 0],
    ["its shorter time while notifications may be missing", TTL_MS, Number.POSITIVE_INFINITY],
  ])("queries a key again after %s", async (_, lifetimeMs, completeSince) => {
    const { notifications, cache, find, queries } = start();
    if (completeSince > 0) notifications.completeSince = completeSince;
    await find();
    vi.advanceTimersByTime(lifetimeMs - 1);
    await find();
    expect([cache.getCached("secret"), queries()]).toEqual([KEY, 1]);
    vi.advanceTimersByTime(1);
    expect(cache.getCached("secret")).toBeNull();
    await find();
    expect(queries()).toBe(2);
  });

  test("does not trust a key that was read before the connection listened", async () => {
    const { notifications, cache, find } = start();
    await find();
    vi.advanceTimersByTime(TTL_MS);
    notifications.completeSince = performance.now();
    expect(cache.getCached("secret")).toBeNull();
  });

  test("removes a revoked key, also while it is being queried", async () => {
    const { cache, find } = start();
    for (const isQueried of [false, true]) {
      const running = find();
      if (!isQueried) await running;
      cache.evict(KEY.keyId);
      await running;
      expect(cache.getCached("secret")).toBeNull();
    }
  });
});
