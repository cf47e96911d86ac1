import { describe, expect, test } from "vitest";
import type { Tenant } from "../../src/domain/accounts/caller.js";
import { DomainError } from "../../src/domain/shared/errors.js";
import { ReplicaFailed } from "../../src/persistence/database/replica-reads.js";
import { BatchLoader } from "../../src/services/shared/batch-loader.js";
import { countOnly } from "../../src/telemetry/telemetry.js";

const one = { accountId: 1, environment: "Customer" } as const;
const other = { accountId: 1, environment: "Testing" } as const;

/** A requests of squares that notes what it was batches for; a negative number fails all it is batches with. */
function squares(isOn = true) {
  const batches: { tenant: Tenant; keys: readonly number[] }[] = [];
  const pending: (() => void)[] = [];
  const telemetry = countOnly();
  const load = async (tenant: Tenant, keys: readonly number[]) => {
    batches.push({ tenant, keys });
    await new Promise<void>((resolve) => pending.push(resolve));
    if (keys.includes(-1)) throw new Error("negative");
    if (keys.includes(-2)) throw new DomainError("unavailable", "out of reach");
    if (keys.includes(-3)) throw new ReplicaFailed("a replica is out of reach");
    return keys.map((key) => key * key);
  };
  const loader = new BatchLoader<number, number>("squares", load, { isOn, telemetry });
  return { requests: requesting(loader), loader, batches, pending, metrics: telemetry.metrics };
}

/** Loads keys as one request does; each call is another request. */
function requesting(loader: BatchLoader<number, number>) {
  return {
    load(tenant: Tenant, keys: readonly number[]): Promise<number[]> {
      const scope = { ...tenant };
      return Promise.all(keys.map((key) => loader.load(scope, key)));
    },
  };
}

const turn = () => new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
/** Answers whatever is batches, for as long as anything is. */
async function answerAll(pending: (() => void)[]): Promise<void> {
  for (await turn(); pending.length > 0; await turn()) for (const answer of pending.splice(0)) answer();
}

describe("BatchLoader", () => {
  test("loads all keys of one turn in one batch and returns each call its own values", async () => {
    const { requests, batches, pending } = squares();
    const calls = [requests.load(one, [1, 2]), requests.load(one, [3]), requests.load(one, [2])];
    await answerAll(pending);
    expect(await Promise.all(calls)).toEqual([[1, 4], [9], [4]]);
    expect(batches.map(({ keys }) => keys)).toEqual([[1, 2, 3, 2]]);
  });

  test("gives a batch the latest deadline of its calls", async () => {
    const { requests, batches, pending } = squares();
    const [early, late] = [{ isOver: false }, { isOver: false }];
    const calls = [early, late].map((deadline) => requests.load({ ...one, deadline }, [1]));
    await turn();
    const isOver = () => batches.map(({ tenant }) => tenant.deadline?.isOver);
    expect(isOver()).toEqual([false]);
    early.isOver = true;
    expect(isOver()).toEqual([false]);
    late.isOver = true;
    expect(isOver()).toEqual([true]);
    await answerAll(pending);
    await Promise.all(calls);
    await expect(requests.load({ ...one, deadline: late }, [1])).rejects.toThrow("took too long");
  });

  test("keeps tenants separate", async () => {
    const { requests, batches, pending } = squares();
    const calls = [requests.load(one, [1]), requests.load(other, [2])];
    await answerAll(pending);
    expect(await Promise.all(calls)).toEqual([[1], [4]]);
    expect(batches).toMatchObject([
      { tenant: one, keys: [1] },
      { tenant: other, keys: [2] },
    ]);
  });

  test("splits a turn's keys into batches of at most maxBatchSize", async () => {
    const batches: (readonly number[])[] = [];
    const loader = new BatchLoader<number, number>(
      "numbers",
      async (_, keys) => {
        batches.push(keys);
        return keys;
      },
      { isOn: true, telemetry: countOnly() },
      3,
    );
    const requests = requesting(loader);
    const calls = [[1, 2], [3], [4], [5, 6], [7]].map((keys) => requests.load(one, keys));
    expect(await Promise.all(calls)).toEqual([[1, 2], [3], [4], [5, 6], [7]]);
    expect(batches).toEqual([[1, 2, 3], [4, 5, 6], [7]]);
  });

  test("keeps at most two batches in flight and queues keys meanwhile", async () => {
    const { requests, batches, pending } = squares();
    const calls: Promise<number[]>[] = [];
    for (let key = 1; key <= 6; key += 1) {
      calls.push(requests.load(one, [key]));
      await turn();
    }
    expect(batches.map(({ keys }) => keys)).toEqual([[1], [2]]);
    await answerAll(pending);
    expect(batches.map(({ keys }) => keys)).toEqual([[1], [2], [3, 4, 5, 6]]);
    expect((await Promise.all(calls)).flat()).toEqual([1, 4, 9, 16, 25, 36]);
  });

  test("loads at most a thousand keys per statement", async () => {
    const { requests, batches, pending } = squares();
    const keys = (count: number) => Array.from({ length: count }, (_, index) => index);
    const calls = [keys(600), keys(500), keys(1200), keys(400)].map((many) => requests.load(one, many));
    await answerAll(pending);
    expect((await Promise.all(calls)).map(({ length }) => length)).toEqual([600, 500, 1200, 400]);
    expect(batches.map((question) => question.keys.length)).toEqual([600, 500, 1000, 600]);
  });

  test("rejects only the call whose key fails", async () => {
    const { requests, pending } = squares();
    const calls = Promise.allSettled([[1], [-1], [2]].map((keys) => requests.load(one, keys)));
    await answerAll(pending);
    const negative = { status: "rejected", reason: new Error("negative") };
    expect(await calls).toEqual([
      { status: "fulfilled", value: [1] },
      negative,
      { status: "fulfilled", value: [4] },
    ]);
  });

  test.each([
    ["the database", -2],
    ["a replica", -3],
  ])("does not ask again for each when %s is out of reach", async (_, failing) => {
    const { requests, batches, pending } = squares();
    const calls = Promise.allSettled([[1], [failing]].map((keys) => requests.load(one, keys)));
    await answerAll(pending);
    expect((await calls).map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    expect(batches).toHaveLength(1);
  });

  test("adds keys to a request's call regardless of other requests in between", async () => {
    const { loader, batches, pending } = squares();
    const scopes = Array.from({ length: 12 }, () => ({ ...one }));
    const calls = [1, 2].flatMap((key) => scopes.map((scope) => loader.load(scope, key)));
    await answerAll(pending);
    await Promise.all(calls);
    expect(batches.map(({ keys }) => keys)).toEqual([scopes.flatMap(() => [1, 2])]);
  });

  test("shares no statement with other requests within a transaction, or if batching is off", async () => {
    const { requests, loader, batches, pending } = squares();
    const transaction = () => ({ ...one, transaction: { afterCommit: () => undefined } });
    const [first, second] = [transaction(), transaction()];
    const calls = [first, second, first].map((scope, key) => loader.load(scope, key));
    calls.push(loader.load(one, 3));
    await answerAll(pending);
    expect(await Promise.all(calls)).toEqual([0, 1, 4, 9]);
    expect(batches.map(({ keys }) => keys)).toEqual([[0, 2], [1], [3]]);
    const off = squares(false);
    void off.requests.load(one, [1, 2]);
    void off.requests.load(one, [3]);
    await turn();
    expect(off.batches.map(({ keys }) => keys)).toEqual([[1, 2], [3]]);
    await answerAll(pending);
    void requests.load(one, []);
    await turn();
    expect(batches).toHaveLength(3);
  });

  test("delays later calls only briefly when a batch gets no answer", async () => {
    const { requests, batches, pending } = squares();
    for (const lost of [1, 2]) {
      void requests.load(one, [lost]);
      await turn();
    }
    const call = requests.load(one, [3]);
    await expect.poll(() => batches.length).toBe(3);
    pending[2]?.();
    expect(await call).toEqual([9]);
  });

  test("rejects queued calls whose deadlines have passed and uses the latest deadline of the rest", async () => {
    const { requests, batches, pending } = squares();
    const [late, first, last] = [{ isOver: false }, { isOver: false }, { isOver: false }];
    const calls = [late, first, last].map((deadline, key) => requests.load({ ...one, deadline }, [key]));
    const outcomes = Promise.allSettled(calls);
    late.isOver = true;
    await turn();
    expect(batches.map(({ keys }) => keys)).toEqual([[1, 2]]);
    const deadline = () => batches[0]?.tenant.deadline?.isOver;
    first.isOver = true;
    expect(deadline()).toBe(false);
    last.isOver = true;
    expect(deadline()).toBe(true);
    await answerAll(pending);
    expect(await outcomes).toMatchObject([
      { status: "rejected", reason: { code: "unavailable" } },
      { status: "fulfilled", value: [1] },
      { status: "fulfilled", value: [4] },
    ]);
  });

  test("sets no deadline when one of the calls has none", async () => {
    const { requests, batches, pending } = squares();
    const over = { isOver: false };
    const calls = [requests.load({ ...one, deadline: over }, [1]), requests.load(one, [2])];
    await turn();
    over.isOver = true;
    expect(batches).toMatchObject([{ keys: [1, 2], tenant: { deadline: { isOver: false } } }]);
    await answerAll(pending);
    await Promise.all(calls);
  });
});
