import { DomainError } from "../../domain/shared/errors.js";
import { isTransactionConflict } from "../../persistence/shared/database-error.js";

const ATTEMPTS = 10;

/** Rolls a transaction back because a missing group was created concurrently. */
export class ConcurrentCreation extends Error {}

/** Retries a transaction that conflicts with others on the same groups. @throws DomainError `unavailable` after ten attempts */
export async function retryConflicts<Result>(run: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await run();
    } catch (error) {
      if (!(error instanceof ConcurrentCreation) && !isTransactionConflict(error)) throw error;
      if (attempt < ATTEMPTS) continue;
      const message = "The same user groups are being created by concurrent requests. Try again.";
      throw new DomainError("unavailable", message, { retryAfter: 1, cause: error });
    }
  }
}
