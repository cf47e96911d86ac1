import { spawnSync } from "node:child_process";
import { chown, mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Whether a file system of a given size can be mounted here. */
export const canMount = process.getuid?.() === 0 && tryMount();

/** A small in-memory file system. */
export interface SmallDisk {
  readonly directory: string;
  /** Resizes the mounted file system. */
  resize(megabytes: number): void;
  close(): Promise<void>;
}

/** @param ownedLike a file or directory whose owner can use the disk */
export async function mountSmallDisk(megabytes: number, ownedLike: string): Promise<SmallDisk> {
  const directory = await mkdtemp(join(tmpdir(), "ug-disk-"));
  mount(directory, `size=${megabytes}m`);
  const { uid, gid } = await stat(ownedLike);
  await chown(directory, uid, gid);
  return {
    directory,
    resize: (size) => mount(directory, `remount,size=${size}m`),
    async close() {
      run("umount", [directory]);
      await rm(directory, { recursive: true });
    },
  };
}

function tryMount(): boolean {
  const directory = tmpdir();
  // A mount namespace of its own, so that the mount ends with it.
  return spawnSync("unshare", ["--mount", "mount", "-t", "tmpfs", "tmpfs", directory]).status === 0;
}

function mount(directory: string, options: string): void {
  run("mount", ["-t", "tmpfs", "-o", options, "tmpfs", directory]);
}

function run(program: string, options: readonly string[]): void {
  const { status, stderr } = spawnSync(program, options, { encoding: "utf8" });
  if (status !== 0) throw new Error(`${program} ${options.join(" ")}: ${stderr}`);
}
