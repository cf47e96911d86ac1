import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  foreignToken,
  startTransferCommands,
  type TransferCommands,
  toLines,
} from "../support/transfer/commands.js";

const GROUPS = 20_000;
const PIECES = 10;
/** Memory limit for a million groups (decision 45): each takes 32 bytes, plus a small constant. */
const MAX_MB = 300;

let commands: TransferCommands;
beforeAll(async () => {
  commands = await startTransferCommands();
});
afterAll(() => commands.close());

test.skipIf(process.platform !== "linux")(
  "the command's memory does not depend on any dimension of the file",
  async () => {
    const tenant = await commands.createTenant();
    const token = foreignToken();
    // Twice the usual length, so that a file held in memory would be noticed.
    const text = "x".repeat(3000);
    const records = (piece: number) =>
      Array.from({ length: GROUPS / PIECES }, (_, n) => ({
        provided_id: `group ${piece} ${n}`,
        name: `Group ${n}`,
        token: `${token}.${piece}.${n}`,
        properties: { text },
      }));
    const pieces = Array.from({ length: PIECES }, (_, piece) => toLines(records(piece)));
    const running = await tenant.launch("--groups", await commands.write("large.jsonl", pieces.join("")));
    let peakKb = 0;
    const timer = setInterval(async () => {
      const status = await readFile(`/proc/${running.pid}/status`, "utf8").catch(() => "");
      peakKb = Math.max(peakKb, Number(/^VmHWM:\s+(\d+) kB/m.exec(status)?.[1] ?? 0));
    }, 50);
    const end = await running.ended;
    clearInterval(timer);
    expect(end).toMatchObject({
      code: 0,
      stderr: "",
      stdout: expect.stringMatching(/groups +20000 +20000 /),
    });
    expect(peakKb).toBeGreaterThan(0);
    expect((peakKb * 1024) / 1e6).toBeLessThan(MAX_MB);
  },
);
