import { spawnSync } from "node:child_process";

/** Whether Prometheus' promtool is installed. */
export const hasPromtool = spawnSync("promtool", ["--version"]).status === 0;

/** Runs promtool. @returns its output and whether it succeeded */
export function promtool(
  args: readonly string[],
  input = "",
  cwd?: string,
): { readonly isRight: boolean; readonly said: string } {
  const { status, stdout, stderr } = spawnSync("promtool", [...args], { input, encoding: "utf8", cwd });
  return { isRight: status === 0, said: `${stdout}${stderr}` };
}
