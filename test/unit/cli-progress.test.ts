import { expect, onTestFinished, test, vi } from "vitest";
import { ProgressLine } from "../../src/cli/shared/progress.js";

test("rewrites one line on a terminal and writes nothing to a file", () => {
  // So that no time passes.
  vi.useFakeTimers({ toFake: ["performance"] });
  onTestFinished(() => void vi.useRealTimers());
  const written: Record<string, string[]> = { terminal: [], file: [] };
  const terminal = { isTTY: true, write: (text: string) => written["terminal"]?.push(text) };
  const file = { write: (text: string) => written["file"]?.push(text) };
  for (const output of [terminal, file]) {
    const line = new ProgressLine(output);
    line.update(12_000, "groups");
    // Too early to be displayed.
    line.update(13_000, "groups");
    line.clear();
  }
  expect(written).toEqual({ terminal: ["\r12,000 groups\u001b[K", "\r\u001b[K"], file: [] });
});
