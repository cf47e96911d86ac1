import type { Writer } from "../../domain/accounts/caller.js";

/** Batch key of one tenant's writes: the audit log names one API key per statement. */
export function byApiKey({ keyId }: Writer): string {
  return String(keyId);
}

/** The writer of a statement for several requests. @param requests the id or the token hash of each row, and the id of its request */
export function writerOf(
  writer: Writer,
  requests: readonly (readonly [row: string, requestId: string | null])[],
): Writer {
  return { ...writer, actor: { ...writer.actor, requestIds: Object.fromEntries(requests) } };
}
