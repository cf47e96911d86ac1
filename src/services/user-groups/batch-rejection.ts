import { DomainError } from "../../domain/shared/errors.js";

/** Returns the error of a valid item that was not written because another item of the request is invalid. */
export function batchRejected(): DomainError {
  return new DomainError(
    "batch_rejected",
    "Nothing was written, because another user group of the request is invalid.",
  );
}
