import { expect, test } from "vitest";
import { ProgressLine, progressText } from "../../src/cli/shared/progress.js";

test.each([
  [
    { records: 250_000, fraction: 0.25 },
    10,
    "groups  [######..................]  25 %  250,000  25,000/s  0:30 left",
  ],
  [
    { records: 1000, fraction: 0.5 },
    3700,
    "groups  [############............]  50 %  1,000  0/s  1:01:40 left",
  ],
  [{ records: 0, fraction: 0 }, 0, "groups  [........................]   0 %  0  0/s"],
  [{ records: 1000, fraction: 1 }, 2, "groups  [########################] 100 %  1,000  500/s  0:00 left"],
  [{ records: 12, fraction: null }, 4, "groups  12  3/s"],
])("formats the progress %j after %d s", (progress, seconds, text) => {
  expect(progressText("groups", progress, seconds)).toBe(text);
});

test("rewrites one line on a terminal and writes nothing to a file", () => {
  const written: Record<string, string[]> = { terminal: [], file: [] };
  const terminal = { isTTY: true, columns: 30, write: (text: string) => written["terminal"]?.push(text) };
  const file = { write: (text: string) => written["file"]?.push(text) };
  for (const output of [terminal, file]) {
    const line = new ProgressLine(output);
    line.begin("groups");
    line.update({ records: 5, fraction: 0.5 });
    // Too early to be displayed.
    line.update({ records: 6, fraction: 0.6 });
    line.clear();
  }
  expect(written).toEqual({
    terminal: ["\rgroups  [############........\u001b[K", "\r\u001b[K"],
    file: [],
  });
});
