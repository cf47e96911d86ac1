import type { Writer } from "../../domain/accounts/caller.js";

/** Batch key of one tenant's writes: the audit log names one API key per statement. */
export function apiKeyBatchKey({ keyId }: Writer): string {
  return String(keyId);
}

/** Returns the writer of a batched statement. @param requests each row's ID or token hash with its request ID, for the audit log */
export function batchWriter(
  writer: Writer,
  requests: readonly (readonly [row: string, requestId: string | null])[],
): Writer {
  return { ...writer, actor: { ...writer.actor, requestIds: Object.fromEntries(requests) } };
}
