import type { Allowance } from "./allowance.js";
import { redactSecrets } from "./redaction.js";

/** Every way in which a call can fail. A new code compiles only with an entry in `ERROR_STATUSES`. */
export const ERROR_CODES = [
  "bad_request",
  "invalid_json",
  "invalid_field",
  "unauthenticated",
  "forbidden",
  "not_found",
  "user_group_not_found",
  "data_source_not_found",
  "api_key_not_found",
  "site_config_not_found",
  "webhook_endpoint_not_found",
  "webhook_delivery_not_found",
  "method_not_allowed",
  "user_group_mismatch",
  "user_group_exists",
  "data_source_exists",
  "data_source_in_use",
  "version_conflict",
  "invalid_site_config",
  "idempotency_mismatch",
  "idempotency_key_in_use",
  "payload_too_large",
  "unsupported_media_type",
  "unknown_data_source",
  "rate_limited",
  "slow_consumer",
  "query_too_deep",
  "too_many_aliases",
  "too_many_root_fields",
  "too_many_tokens",
  "query_too_expensive",
  "untrusted_document",
  "batching_disabled",
  "internal",
  "unavailable",
] as const;

export type ErrorCode = (typeof ERROR_CODES)[number];

/** Where in the caller's input a fault lies, in the domain's names: `["mapping", "sales"]`. */
export type FieldPath = readonly string[];

/** What is wrong with one field; the message of `invalid_field` completes the sentence that begins with the field's name. */
export interface FieldError {
  readonly field: FieldPath;
  readonly message: string;
}

/** The most fields that one error names (decision 12c). */
export const MAX_FIELD_ERRORS = 100;

export interface DomainErrorDetails {
  readonly field?: FieldPath;
  /** Everything that is wrong, where it is more than the one field. */
  readonly fields?: readonly FieldError[];
  /** Whole seconds after which a retry makes sense. */
  readonly retryAfter?: number;
  /** What the error is about in numbers, by names such as `limit` and `actual`. */
  readonly figures?: Readonly<Record<string, number>>;
  /** What a rate limit leaves to the caller. */
  readonly allowance?: Allowance;
  readonly cause?: unknown;
}

/**
 * A failure whose message may be shown to the caller as it stands: it never holds a table name, a secret or a stack.
 * What lies underneath goes into `cause`.
 */
export class DomainError extends Error {
  override readonly name = "DomainError";
  readonly code: ErrorCode;
  readonly field: FieldPath | undefined;
  /** Every field that is wrong, up to the limit: the first is that of the error itself. Empty when it is not about a field. */
  readonly fields: readonly FieldError[];
  readonly retryAfter: number | undefined;
  readonly figures: Readonly<Record<string, number>> | undefined;
  readonly allowance: Allowance | undefined;

  constructor(code: ErrorCode, message: string, details: DomainErrorDetails = {}) {
    super(redactSecrets(message), details.cause === undefined ? undefined : { cause: details.cause });
    this.code = code;
    const { field, fields = field ? [{ field, message }] : [] } = details;
    this.field = field?.map(redactSecrets);
    this.fields = fields.slice(0, MAX_FIELD_ERRORS).map(({ field, message }) => ({
      field: field.map(redactSecrets),
      message: redactSecrets(message),
    }));
    this.retryAfter = details.retryAfter;
    this.figures = details.figures;
    this.allowance = details.allowance;
  }
}

/**
 * The error of an unusable input field.
 * @param field its path, in the domain's names
 * @param rule what the field must be, completing the sentence "`name` …": "must be a string"
 */
export function invalidField(field: FieldPath, rule: string): DomainError {
  return new DomainError("invalid_field", rule, { field });
}

/** What lies beneath an error, in words for the log. */
export function reasonOf({ cause, message }: DomainError): string {
  return cause instanceof Error ? cause.message : message;
}

/** The error of something unexpected: the caller learns nothing of what it was. */
export function internalError(cause: unknown): DomainError {
  return new DomainError("internal", "Something went wrong on our side.", { cause });
}
