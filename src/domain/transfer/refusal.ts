import { DomainError, type ErrorCode, type FieldPath } from "../shared/errors.js";

/** Why a line of an import is refused: the codes of the interface, and those that only files know. */
export type RefusalCode = ErrorCode | "invalid_csv" | "repeated" | "token_taken" | "token_differs";

/** That one line of an import is not taken, and why. Its message never holds a token. */
export class Refusal {
  readonly code: RefusalCode;
  readonly message: string;
  readonly field: string | undefined;

  /** @param field its path, in the names of the file */
  constructor(code: RefusalCode, message: string, field?: FieldPath) {
    this.code = code;
    this.message = message;
    this.field = field?.join(".");
  }

  /** The refusal that a fault of the caller's means. */
  static of({ code, message, field }: DomainError): Refusal {
    return new Refusal(code, code === "invalid_field" ? `${message}.` : message, field);
  }
}

/** What became of a line, or in a dry run would become of it. */
export type ImportOutcome = "created" | "updated" | "unchanged" | Refusal;

/** Runs what parses. @returns the refusal instead, where that fails with a fault of the caller's */
export function refuseFaults<Result>(parse: () => Result): Result | Refusal {
  try {
    return parse();
  } catch (error) {
    if (error instanceof DomainError) return Refusal.of(error);
    throw error;
  }
}
