import type { Allowance } from "./allowance.js";
import type { ErrorCode } from "./error-catalogue.js";
import { redactSecrets } from "./redaction.js";

/** Path of an invalid input field, in domain names: `["mapping", "sales"]`. */
export type FieldPath = readonly string[];

/** An error of one field. The message of `invalid_field` completes a sentence that begins with the field's name. */
export interface FieldError {
  readonly field: FieldPath;
  readonly message: string;
}

/** Maximum number of fields in one error (decision 12c). */
export const MAX_FIELD_ERRORS = 100;

/** A scheme of the header `Authorization`. */
export type AuthenticationScheme = "Token" | "Bearer";

interface DomainErrorOptions {
  readonly field?: FieldPath;
  /** All field errors, if more than one field is invalid. */
  readonly fields?: readonly FieldError[];
  /** `Retry-After` in whole seconds. */
  readonly retryAfter?: number;
  /** Numeric details, by names such as `limit` and `actual`. */
  readonly details?: Readonly<Record<string, number>>;
  /** The caller's remaining rate limit allowance. */
  readonly allowance?: Allowance;
  /** The schemes in `WWW-Authenticate`; `Token` if absent. */
  readonly schemes?: readonly AuthenticationScheme[];
  /** The report of a validation, which REST returns beside the error. */
  readonly report?: object;
  readonly cause?: unknown;
}

/**
 * An error whose message is safe for callers: no table names, secrets or stack traces.
 * The underlying error goes into `cause`.
 */
export class DomainError extends Error {
  override readonly name = "DomainError";
  readonly code: ErrorCode;
  readonly field: FieldPath | undefined;
  /** All invalid fields, up to the limit; the first is `field`. Empty if the error does not concern a field. */
  readonly fields: readonly FieldError[];
  readonly retryAfter: number | undefined;
  readonly details: Readonly<Record<string, number>> | undefined;
  readonly allowance: Allowance | undefined;
  readonly schemes: readonly AuthenticationScheme[];
  readonly report: object | undefined;

  constructor(code: ErrorCode, message: string, options: DomainErrorOptions = {}) {
    super(redactSecrets(message), options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    const { field, fields = field ? [{ field, message }] : [] } = options;
    this.field = field?.map(redactSecrets);
    this.fields = fields.slice(0, MAX_FIELD_ERRORS).map(({ field, message }) => ({
      field: field.map(redactSecrets),
      message: redactSecrets(message),
    }));
    this.retryAfter = options.retryAfter;
    this.details = options.details;
    this.allowance = options.allowance;
    this.schemes = options.schemes ?? ["Token"];
    this.report = options.report;
  }
}

/**
 * Creates the error for an invalid input field.
 * @param field path in domain names
 * @param rule completes the sentence "`name` …": "must be a string"
 */
export function invalidField(field: FieldPath, rule: string): DomainError {
  return new DomainError("invalid_field", rule, { field });
}

/** Returns the underlying cause of an error, for the log. */
export function reasonOf({ cause, message }: DomainError): string {
  return cause instanceof Error ? cause.message : message;
}

/** Creates the error for an unexpected failure, without details for the caller. */
export function internalError(cause: unknown): DomainError {
  return new DomainError("internal", "Something went wrong on our side.", { cause });
}

/** Returns the domain error that a function throws, or else its result. @throws any other error */
export function domainErrorOr<Result>(run: () => Result): Result | DomainError {
  try {
    return run();
  } catch (error) {
    if (error instanceof DomainError) return error;
    throw error;
  }
}

/** Returns whether a value is not the error that stands for one. */
export function isNoError<Value>(value: Value | DomainError): value is Value {
  return !(value instanceof DomainError);
}
