import { spawnSync } from "node:child_process";

/** Whether Prometheus' own tool can check what is meant for it. */
export const hasPromtool = spawnSync("promtool", ["--version"]).status === 0;

/** Runs it. @returns what it said, and whether it found everything right */
export function promtool(
  args: readonly string[],
  input = "",
  cwd?: string,
): { readonly isRight: boolean; readonly said: string } {
  const { status, stdout, stderr } = spawnSync("promtool", [...args], { input, encoding: "utf8", cwd });
  return { isRight: status === 0, said: `${stdout}${stderr}` };
}
