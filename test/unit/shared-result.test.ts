import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, test } from "vitest";
import { Handout, SharedResult } from "../../src/services/shared/shared-result.js";

const TAKERS = 120;

test("a result reaches its takers in order, and other work runs between", async () => {
  const taken: number[] = [];
  const shared = new SharedResult(Promise.resolve("state"), new Handout());
  for (let index = 0; index < TAKERS; index += 1) shared.take(() => taken.push(index));
  const counts: number[] = [];
  while (taken.length < TAKERS) {
    counts.push(taken.length);
    await nextTurn();
  }
  expect(counts).toEqual(expect.arrayContaining([0, 50, 100]));
  expect(taken).toEqual(Array.from({ length: TAKERS }, (_, index) => index));
  // The result is there.
  shared.take((outcome) => expect(outcome).toEqual({ status: "fulfilled", value: "state" }));
  expect.assertions(3);
});

test("results that arrive together share the turns", async () => {
  const handout = new Handout();
  let taken = 0;
  const perTurn = new Set<number>();
  for (let count = 0; count < TAKERS; count += 1)
    new SharedResult(Promise.resolve(), handout).take(() => {
      taken += 1;
    });
  while (taken < TAKERS) {
    const before = taken;
    await nextTurn();
    perTurn.add(taken - before);
  }
  expect(Math.max(...perTurn)).toBe(50);
});

test("takers learn the error of the computation", async () => {
  const error = new Error("no connection");
  const shared = new SharedResult(Promise.reject(error), new Handout());
  const outcome = await new Promise((resolve) => shared.take(resolve));
  expect(outcome).toEqual({ status: "rejected", reason: error });
});
