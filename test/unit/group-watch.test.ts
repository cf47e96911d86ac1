import { expect, test } from "vitest";
import type { UserGroupChangeKind } from "../../src/domain/user-groups/change.js";
import type { ChangeListener } from "../../src/services/user-groups/change-feed.js";
import { GroupWatch } from "../../src/services/user-groups/group-watch.js";
import { Subscription } from "../../src/services/user-groups/subscription.js";

/** Watches all groups of an environment, none of which exists any more. */
function watchEnvironment() {
  const loaded: number[] = [];
  let listener: ChangeListener | undefined;
  const watch = new GroupWatch(
    {
      async load(ids) {
        loaded.push(...ids);
        return ids.map(() => ({ group: null, activeKeys: new Map([[1, null]]) }));
      },
      loadMapping: async () => [],
      follow(followed) {
        listener = followed;
        return () => undefined;
      },
    },
    { isOfManyGroups: true },
  );
  const subscription = new Subscription(() => void watch.remove(subscriber));
  const subscriber = { credential: { kind: "apiKey", keyId: 1 } as const, subscription };
  watch.add(subscriber);
  const change = (id: number, kind: UserGroupChangeKind = "deleted") => listener?.onChange({ id, kind });
  return { loaded, subscription, change };
}

test("a subscriber to all groups that reads nothing holds the events of one chunk", async () => {
  const { loaded, subscription, change } = watchEnvironment();
  const ids = Array.from({ length: 175 }, (_, index) => index + 1);
  for (const id of ids) change(id);
  // The first change is loaded alone, the others once its event was read.
  await expect.poll(() => loaded).toEqual([1]);
  expect((await subscription.next()).value).toMatchObject({ id: 1, kind: "deleted", userGroup: null });
  await expect.poll(() => loaded).toEqual(ids.slice(0, 51));
  await new Promise((resolve) => setImmediate(resolve));
  expect(loaded).toHaveLength(51);
  const seen: unknown[] = [1];
  while (seen.length < ids.length) seen.push((await subscription.next()).value.id);
  expect(seen).toEqual(ids);
});

test("a subscription to all groups ends when more than 10,000 changed groups wait", async () => {
  const { loaded, subscription, change } = watchEnvironment();
  change(1);
  await expect.poll(() => loaded).toEqual([1]);
  for (let id = 2; id <= 10_001; id += 1) change(id);
  expect(subscription.isOpen).toBe(true);
  change(10_002);
  expect(subscription.isOpen).toBe(false);
  await expect(subscription.next()).rejects.toMatchObject({ code: "slow_consumer" });
  expect(loaded).toEqual([1]);
});

test("a subscriber that does not read does not delay the others for long", async () => {
  const { loaded, subscription, change } = watchEnvironment();
  for (let id = 1; id <= 200; id += 1) change(id);
  // A chunk a second, until it is too far behind.
  await expect.poll(() => subscription.isOpen).toBe(false);
  await expect(subscription.next()).rejects.toMatchObject({ code: "slow_consumer" });
  expect(loaded.length).toBeLessThan(200);
});

test("a deletion is sent even if the notification of an earlier change arrives after it", async () => {
  const { loaded, subscription, change } = watchEnvironment();
  change(1);
  change(2);
  change(2, "updated");
  expect((await subscription.next()).value).toMatchObject({ id: 1 });
  expect((await subscription.next()).value).toMatchObject({ id: 2, kind: "deleted" });
  expect(loaded).toEqual([1, 2]);
});

test("events that were not read are merged into one for each group, with the latest state and kind", async () => {
  const subscription = new Subscription(() => undefined);
  const event = (kind: UserGroupChangeKind) => ({ id: 1, kind, userGroup: null, mapping: async () => [] });
  for (const kind of ["created", "updated", "tokenRotated"] as const) subscription.push(event(kind));
  subscription.push({ ...event("deleted"), id: 2 });
  subscription.start({ ...event("updated"), kind: "current" });
  subscription.end();
  const kinds: string[] = [];
  for await (const { id, kind } of subscription) kinds.push(`${id} ${kind}`);
  expect(kinds).toEqual(["1 tokenRotated", "2 deleted"]);
});
