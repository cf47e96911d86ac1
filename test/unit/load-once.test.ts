import { expect, test } from "vitest";
import { loadOnce } from "../../src/http/pages/page.js";

test("loads once, and again after a failure or an empty result", async () => {
  const outcomes = [() => Promise.reject(new Error("No more files.")), async () => undefined];
  let loads = 0;
  const load = loadOnce(async () => {
    loads += 1;
    const outcome = outcomes.shift();
    return outcome ? outcome() : loads;
  });
  await expect(Promise.all([load(), load()])).rejects.toThrow("No more files.");
  expect(await load()).toBeUndefined();
  expect(await Promise.all([load(), load()])).toEqual([3, 3]);
  expect(await load()).toBe(3);
});
