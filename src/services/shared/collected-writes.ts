import type { Writer } from "../../domain/accounts/caller.js";

/** What of one tenant's writes is kept apart: the audit log names one API key for all of a statement. */
export function apartByKey({ keyId }: Writer): string {
  return String(keyId);
}

/** Who writes groups for several requests at once. @param requests a group's id, and whose request it is written for */
export function writerOf(
  writer: Writer,
  requests: readonly (readonly [id: number, requestId: string | null])[],
): Writer {
  return { ...writer, actor: { ...writer.actor, requestIds: Object.fromEntries(requests) } };
}
