import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, test } from "vitest";
import { SiteConfigWork } from "../../../src/services/site-configs/service.js";

test("each task has a turn of the event loop of its own, also after a failure", async () => {
  const work = new SiteConfigWork();
  const turns: number[] = [];
  let turn = 0;
  const run = (output: string) =>
    work.run(() => {
      turns.push(turn);
      if (output === "") throw new Error("There is no output.");
      return output;
    });
  const outputs = Promise.allSettled(["a", "", "b"].map(run));
  while (turns.length < 3) {
    await nextTurn();
    turn += 1;
  }
  expect(new Set(turns).size).toBe(3);
  expect(await outputs).toMatchObject([
    { value: "a" },
    { reason: new Error("There is no output.") },
    { value: "b" },
  ]);
});
