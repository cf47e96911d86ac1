import { expect, test } from "vitest";
import type { Tenant } from "../../src/domain/accounts/caller.js";
import { DomainError } from "../../src/domain/shared/errors.js";
import { BatchLoader } from "../../src/services/shared/batch-loader.js";
import { countOnly } from "../../src/telemetry/telemetry.js";

const one = { accountId: 1, environment: "Customer" } as const;
const testing = { accountId: 1, environment: "Testing" } as const;
const stranger = { accountId: 2, environment: "Customer" } as const;

/** A loader of squares; negative numbers fail whatever they are loaded with. Batches are answered by `answerAll`. */
function squares(isOn = true) {
  const batches: { tenant: Tenant; keys: readonly number[] }[] = [];
  const pending: (() => void)[] = [];
  const failures = [new Error("negative"), new DomainError("unavailable", "out of reach")];
  const load = async (tenant: Tenant, keys: readonly number[]) => {
    batches.push({ tenant, keys });
    await new Promise<void>((resolve) => pending.push(resolve));
    const failing = keys.find((key) => key < 0);
    if (failing !== undefined) throw failures[-failing - 1];
    return keys.map((key) => key * key);
  };
  const loader = new BatchLoader<number, number>("squares", load, { isOn, telemetry: countOnly() });
  return {
    loader,
    pending,
    batches,
    sent: () => batches.map(({ keys }) => keys),
    /** Loads keys as one request does; each call is another request. */
    request(tenant: Tenant, keys: readonly number[]): Promise<number[]> {
      const scope = { ...tenant };
      return Promise.all(keys.map((key) => loader.load(scope, key)));
    },
    /** Answers for as long as anything is pending. */
    async answerAll() {
      for (await turn(); pending.length > 0; await turn()) for (const answer of pending.splice(0)) answer();
    },
  };
}

const turn = () => new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
const upTo = (count: number) => Array.from({ length: count }, (_, index) => index);

test.each<[string, (readonly number[])[], (readonly number[])[]]>([
  ["all keys of one turn in one batch", [[1, 2], [3], [2]], [[1, 2, 3, 2]]],
  [
    "at most a thousand keys per statement",
    [upTo(600), upTo(500), upTo(1200)],
    [upTo(600), upTo(500), upTo(1000), upTo(1200).slice(1000)],
  ],
])("loads %s and returns each call its own values", async (_, requests, expected) => {
  const { request, sent, answerAll } = squares();
  const calls = requests.map((keys) => request(one, keys));
  await answerAll();
  expect(await Promise.all(calls)).toEqual(requests.map((keys) => keys.map((key) => key * key)));
  expect(sent()).toEqual(expected);
});

test("keeps tenants, transactions and, with batching off, requests separate", async () => {
  const { request, loader, batches, sent, answerAll } = squares();
  const tenants = [one, testing, stranger];
  const ofTenants = tenants.map((tenant, key) => request(tenant, [key]));
  await answerAll();
  expect(await Promise.all(ofTenants)).toEqual([[0], [1], [4]]);
  expect(batches).toMatchObject(tenants.map((tenant, key) => ({ tenant, keys: [key] })));
  batches.length = 0;
  const transaction = () => ({ ...one, transaction: { afterCommit: () => undefined } });
  const [first, second] = [transaction(), transaction()];
  const calls = [first, second, first].map((scope, key) => loader.load(scope, key));
  calls.push(loader.load(one, 3));
  await answerAll();
  expect(await Promise.all(calls)).toEqual([0, 1, 4, 9]);
  expect(sent()).toEqual([[0, 2], [1], [3]]);
  const off = squares(false);
  const alone = [off.request(one, [1, 2]), off.request(one, [3])];
  await off.answerAll();
  expect([await Promise.all(alone), off.sent()]).toEqual([
    [[1, 4], [9]],
    [[1, 2], [3]],
  ]);
});

test("keeps at most two batches in flight and queues keys meanwhile, but not for long", async () => {
  const { request, sent, pending, answerAll } = squares();
  const calls: Promise<number[]>[] = [];
  for (let key = 1; key <= 6; key += 1) {
    calls.push(request(one, [key]));
    await turn();
  }
  expect(sent()).toEqual([[1], [2]]);
  await answerAll();
  expect(sent()).toEqual([[1], [2], [3, 4, 5, 6]]);
  expect((await Promise.all(calls)).flat()).toEqual([1, 4, 9, 16, 25, 36]);
  // Batches that get no answer delay later ones only briefly.
  for (const lost of [1, 2]) {
    void request(one, [lost]);
    await turn();
  }
  const call = request(one, [7]);
  await expect.poll(() => sent().length).toBe(6);
  pending[2]?.();
  expect(await call).toEqual([49]);
});

test.each([
  ["an error of one key", -1, ["fulfilled", "rejected", "fulfilled"], 5],
  ["the database out of reach", -2, ["rejected", "rejected", "rejected"], 1],
])(
  "with %s, rejects only the calls concerned, and asks again for halves only if that helps",
  async (_, failing, statuses, batches) => {
    const { request, sent, answerAll } = squares();
    const calls = Promise.allSettled([[1], [failing], [2]].map((keys) => request(one, keys)));
    await answerAll();
    expect((await calls).map(({ status }) => status)).toEqual(statuses);
    expect(sent()).toHaveLength(batches);
  },
);

test("rejects queued calls whose deadlines have passed and gives the batch the latest deadline of the rest", async () => {
  const { request, batches, sent, answerAll } = squares();
  const [late, first, last] = [{ isOver: false }, { isOver: false }, { isOver: false }];
  const calls = [late, first, last].map((deadline, key) => request({ ...one, deadline }, [key]));
  const outcomes = Promise.allSettled(calls);
  late.isOver = true;
  await turn();
  expect(sent()).toEqual([[1, 2]]);
  const isOver = () => batches.at(-1)?.tenant.deadline?.isOver;
  first.isOver = true;
  expect(isOver()).toBe(false);
  last.isOver = true;
  expect(isOver()).toBe(true);
  await answerAll();
  expect(await outcomes).toMatchObject([
    { status: "rejected", reason: { code: "unavailable" } },
    { status: "fulfilled", value: [1] },
    { status: "fulfilled", value: [4] },
  ]);
  await expect(request({ ...one, deadline: last }, [1])).rejects.toThrow("took too long");
  // A call without a deadline has none in a batch either.
  const over = { isOver: false };
  const both = [request({ ...one, deadline: over }, [1]), request(one, [2])];
  await turn();
  over.isOver = true;
  expect(isOver()).toBe(false);
  await answerAll();
  await Promise.all(both);
});
