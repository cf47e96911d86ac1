import { readdir, readFile } from "node:fs/promises";

/** Linux's unit of CPU time in /proc. */
const TICK_MS = 10;

/** The CPU time that a process has used so far, in milliseconds. */
export async function cpuMsOf(pid: number): Promise<number> {
  return (await statOf(pid)).cpuMs;
}

/** The CPU time of a process's children, including terminated ones, in milliseconds. */
export async function cpuMsOfChildren(pid: number): Promise<number> {
  for (;;) {
    const { endedMs } = await statOf(pid);
    const ids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name)).map(Number);
    const stats = await Promise.all(ids.map((id) => statOf(id).catch(() => null)));
    const living = stats.reduce((sum, stat) => sum + (stat?.parent === pid ? stat.cpuMs : 0), 0);
    // Otherwise a child that terminated meanwhile would count twice or not at all.
    if ((await statOf(pid)).endedMs === endedMs) return living + endedMs;
  }
}

/** The current resident memory of a process in megabytes (10⁶ bytes). */
export async function memoryMbOf(pid: number): Promise<number> {
  return memoryOf(pid, /^VmRSS:\s+(\d+) kB/m);
}

export async function peakMemoryMbOf(pid: number): Promise<number> {
  return memoryOf(pid, /^VmHWM:\s+(\d+) kB/m);
}

async function memoryOf(pid: number, line: RegExp): Promise<number> {
  const [, kib = "NaN"] = line.exec(await readFile(`/proc/${pid}/status`, "utf8")) ?? [];
  return (Number(kib) * 1024) / 1e6;
}

/** @returns also the CPU time of terminated children */
async function statOf(pid: number) {
  const text = await readFile(`/proc/${pid}/stat`, "utf8");
  // The second field is the name in parentheses, which can contain anything.
  const fields = text
    .slice(text.lastIndexOf(")") + 2)
    .split(" ")
    .map(Number);
  const timeOf = (index: number) => ((fields[index] ?? 0) + (fields[index + 1] ?? 0)) * TICK_MS;
  return { parent: fields[1], cpuMs: timeOf(11), endedMs: timeOf(13) };
}
