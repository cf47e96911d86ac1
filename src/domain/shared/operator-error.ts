import type { ErrorCode } from "./error-catalogue.js";
import { DomainError } from "./errors.js";

/** The `code` of a system or database error (`ENOENT`, `28P01`), or undefined for any other value. */
export function errorCode(error: unknown): string | undefined {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;
}

/** The codes of the APIs, and those that only the command line has; `failed` for any other reason. */
export type OperatorErrorCode = ErrorCode | "usage" | "failed" | "account_exists" | "account_not_found";

/** An error that the operator can fix. The message says how, in one line unless it lists findings. */
export class OperatorError extends Error {
  override readonly name = "OperatorError";
  readonly code: OperatorErrorCode;

  /** @param options the code is by default that of a DomainError in `cause` */
  constructor(message: string, options: ErrorOptions & { readonly code?: OperatorErrorCode } = {}) {
    super(message, options);
    const { cause, code = cause instanceof DomainError ? cause.code : "failed" } = options;
    this.code = code;
  }
}

/** Creates the error of a database role that lacks privileges. */
export function missingPrivilege(privileges: string, options: ErrorOptions = {}): OperatorError {
  return new OperatorError(
    `The database role lacks ${privileges}. Run \`migrate up\` with DATABASE_MIGRATION_URL, which grants it.`,
    options,
  );
}

/** Arguments that are wrong; nothing was done. */
export class UsageError extends OperatorError {
  override readonly code = "usage";
}
