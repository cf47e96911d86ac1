import type { Writer } from "../domain/caller.js";

/**
 * How writes are collected: those with one API key, one statement at a time, as each ends with a wait for the disk, which more of
 * them can share.
 */
export const COLLECTED_WRITES = {
  apart: ({ keyId }: Writer) => String(keyId),
  mostUnderWay: 1,
} as const;

/** Who writes groups for several requests at once. @param requests a group's id, and whose request it is written for */
export function writerOf(
  writer: Writer,
  requests: readonly (readonly [id: number, requestId: string | null])[],
): Writer {
  return { ...writer, actor: { ...writer.actor, requestIds: Object.fromEntries(requests) } };
}
