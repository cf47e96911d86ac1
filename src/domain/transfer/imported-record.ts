import type { ErrorCode } from "../shared/error-catalogue.js";
import { DomainError, type FieldPath } from "../shared/errors.js";
import type { MappingReference } from "../user-groups/mapping.js";
import type { Properties } from "../user-groups/properties.js";

/** An imported data source. */
export interface ImportedDataSource {
  readonly providedId: string;
  /** Required if the record is created. */
  readonly name?: string;
}

/** An imported user group: absent fields stay unchanged, null clears a field (decision 7). */
export interface ImportedGroup {
  readonly providedId: string;
  /** Required if the record is created. */
  readonly name?: string;
  /** The imported token; without one, a new token is issued. */
  readonly token?: string;
  readonly properties?: Properties;
  readonly mapping?: readonly MappingReference[];
}

/** One imported mapping entry. */
export interface ImportedMapping {
  readonly userGroupId: string;
  readonly reference: MappingReference;
}

export interface ImportOptions {
  /** Report the outcome without changing anything. */
  readonly dryRun: boolean;
  /** Overwrite existing tokens with those in the file. */
  readonly replaceTokens: boolean;
}

/** Reason for rejecting a line: an API error code, or one specific to files. */
export type RefusalCode = ErrorCode | "invalid_csv" | "token_taken" | "token_differs";

/** A rejected line of an import. The message never contains a token. */
export class Refusal {
  readonly code: RefusalCode;
  readonly message: string;
  readonly field: string | undefined;

  /** @param field path in the file's names */
  constructor(code: RefusalCode, message: string, field?: FieldPath) {
    this.code = code;
    this.message = message;
    this.field = field?.join(".");
  }

  /** Converts a validation error. */
  static of({ code, message, field }: DomainError): Refusal {
    return new Refusal(code, code === "invalid_field" ? `${message}.` : message, field);
  }
}

/** The outcome of a line; in a dry run, the expected outcome. */
export type ImportOutcome = "created" | "updated" | "unchanged" | Refusal;

/** Runs a parser. @returns a refusal if it throws a DomainError */
export function catchRefusal<Result>(parse: () => Result): Result | Refusal {
  try {
    return parse();
  } catch (error) {
    if (error instanceof DomainError) return Refusal.of(error);
    throw error;
  }
}
