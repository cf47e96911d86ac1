import { expect, test } from "vitest";
import type { UserGroupChangeKind } from "../../src/domain/user-groups/change.js";
import type { Taker } from "../../src/services/shared/shared-result.js";
import { Subscription } from "../../src/services/user-groups/subscription.js";
import type { WatchState } from "../../src/services/user-groups/watch-credentials.js";

/** Subscribes to all groups of an environment, none of which exists any more. */
function openSubscription() {
  const loaded: number[] = [];
  const state = { group: null, activeKeys: new Map([[1, null]]) };
  const source = {
    groupId: null,
    load: async () => state,
    loadChanged(id: number, taker: Taker<WatchState>) {
      loaded.push(id);
      setImmediate(() => taker({ status: "fulfilled", value: state }));
    },
    loadMapping: async () => [],
  };
  const subscription = new Subscription(
    source,
    { kind: "apiKey", keyId: 1, session: undefined },
    () => undefined,
  );
  const events = subscription[Symbol.asyncIterator]();
  const change = (id: number, kind: UserGroupChangeKind = "deleted") => subscription.onChange({ id, kind });
  const next = async () => {
    const { value } = await events.next();
    return `${value?.id} ${value?.kind}`;
  };
  return { loaded, subscription, change, next };
}

test("groups are loaded when the subscriber reads, ten at a time", async () => {
  const { loaded, change, next } = openSubscription();
  const ids = Array.from({ length: 25 }, (_, index) => index + 1);
  for (const id of ids) change(id);
  expect(loaded).toEqual([]);
  for (const id of ids) {
    expect(await next()).toBe(`${id} deleted`);
    expect(loaded).toEqual(ids.slice(0, Math.ceil(id / 10) * 10));
  }
});

test("a subscription ends when more than 2,000 changed groups wait", async () => {
  const { subscription, change, next } = openSubscription();
  for (let id = 1; id <= 2000; id += 1) change(id);
  expect(subscription.isOpen).toBe(true);
  change(2001);
  expect(subscription.isOpen).toBe(false);
  await expect(next()).rejects.toMatchObject({ code: "slow_consumer" });
});

test("changes of a group that wait are one event; a notification after that of the deletion changes nothing", async () => {
  const { loaded, change, next } = openSubscription();
  change(1, "created");
  change(2, "updated");
  for (const kind of ["updated", "deleted", "tokenRotated"] as const) change(1, kind);
  change(3);
  expect(await next()).toBe("1 deleted");
  // The deletion of this group follows.
  expect(await next()).toBe("3 deleted");
  expect(loaded).toEqual([1, 2, 3]);
});
