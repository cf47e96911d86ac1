import { readdir, readFile } from "node:fs/promises";

/** Linux counts the time of processes in these. */
const TICK_MS = 10;

/** How long a process has worked in its life, in user and system mode, in milliseconds. */
export async function cpuMsOf(pid: number): Promise<number> {
  const { ticks } = await statOf(pid);
  return ticks * TICK_MS;
}

/** How long the children of a process have worked, those that have ended too, in milliseconds. */
export async function cpuMsOfChildren(pid: number): Promise<number> {
  for (;;) {
    const { endedTicks } = await statOf(pid);
    const ids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name)).map(Number);
    const stats = await Promise.all(ids.map((id) => statOf(id).catch(() => null)));
    const living = stats.reduce((sum, stat) => sum + (stat?.parent === pid ? stat.ticks : 0), 0);
    // Otherwise one that has ended meanwhile would count twice, or not at all.
    if ((await statOf(pid)).endedTicks === endedTicks) return (living + endedTicks) * TICK_MS;
  }
}

/** The memory that a process holds at present, in megabytes (10⁶ bytes). */
export async function memoryMbOf(pid: number): Promise<number> {
  return memoryOf(pid, /^VmRSS:\s+(\d+) kB/m);
}

/** The most that it has held so far. */
export async function peakMemoryMbOf(pid: number): Promise<number> {
  return memoryOf(pid, /^VmHWM:\s+(\d+) kB/m);
}

async function memoryOf(pid: number, line: RegExp): Promise<number> {
  const [, kib = "NaN"] = line.exec(await readFile(`/proc/${pid}/status`, "utf8")) ?? [];
  return (Number(kib) * 1024) / 1e6;
}

interface Stat {
  readonly parent: number;
  readonly ticks: number;
  /** Of children that have ended. */
  readonly endedTicks: number;
}

async function statOf(pid: number): Promise<Stat> {
  const text = await readFile(`/proc/${pid}/stat`, "utf8");
  // The second field is the name in parentheses, and may hold anything.
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  const [own, ended] = [fields.slice(11, 13), fields.slice(13, 15)].map(
    (pair) => Number(pair[0]) + Number(pair[1]),
  );
  return { parent: Number(fields[1]), ticks: own ?? 0, endedTicks: ended ?? 0 };
}
