import { type ErrorCode } from "./error-catalogue.js";
import { DomainError, type FieldError, type FieldPath, invalidField, MAX_FIELD_ERRORS } from "./errors.js";

/** A parser for each field; fields without one stay absent. */
type FieldParsers<Fields> = { readonly [Name in keyof Fields]: () => Fields[Name] };

/**
 * Parses the fields of an object.
 * @throws DomainError `invalid_field` with every invalid field, in the order of the parsers (decision 12c)
 */
export function parseFields<Fields extends object>(parsers: FieldParsers<Fields>): Fields {
  const errors = new FieldErrors("invalid_field");
  const fields: Partial<Fields> = {};
  for (const name in parsers) errors.collect(() => (fields[name] = parsers[name]()));
  errors.throwIfAny();
  if (!hasFields(fields, parsers)) throw new Error("A field was neither parsed nor rejected.");
  return fields;
}

/** The parser of each field's value. */
type ValueParsers<Fields> = {
  readonly [Name in keyof Fields]: (value: unknown, field: FieldPath) => Fields[Name];
};

/**
 * Parses the values that are present; null is (decision 7).
 * @param values a member for each field, so that none is forgotten
 * @throws DomainError `invalid_field` with every invalid field
 */
export function parsePresent<Fields extends object>(
  parsers: ValueParsers<Fields>,
  values: { readonly [Name in keyof Fields]: unknown },
): Partial<Fields> {
  const errors = new FieldErrors("invalid_field");
  const fields: Partial<Fields> = {};
  for (const name in parsers) {
    const value = values[name];
    if (value !== undefined) errors.collect(() => (fields[name] = parsers[name](value, [name])));
  }
  errors.throwIfAny();
  return fields;
}

/**
 * Parses a value that must match for a change to be made. Null is refused (decision 9), because a variable without a value must not
 * remove the check.
 * @returns undefined if the value is absent
 * @throws DomainError `invalid_field`
 */
export function parseGuard<Raw, Value>(
  field: FieldPath,
  value: Raw | null | undefined,
  parse: (value: Raw, field: FieldPath) => Value,
): Value | undefined {
  if (value === null) throw invalidField(field, "must not be null; omit it to skip the check");
  return value === undefined ? undefined : parse(value, field);
}

/** Parses the version that an object must have. @returns undefined for any @throws DomainError `invalid_field` for null */
export function parseExpectedVersion(input: {
  readonly expectedVersion?: number | null;
}): number | undefined {
  return parseGuard(["expectedVersion"], input.expectedVersion, (version) => version);
}

/** Collects errors of several fields, so that one error reports them all. */
export class FieldErrors {
  readonly #errors: FieldError[] = [];

  /** @param code collected error code; errors with another code are thrown immediately */
  constructor(private readonly code: ErrorCode) {}

  /** @returns the parsed value; undefined if the field is invalid */
  collect<Value>(parse: () => Value): Value | undefined {
    try {
      return parse();
    } catch (error) {
      if (!(error instanceof DomainError) || error.code !== this.code || error.fields.length === 0)
        throw error;
      this.#errors.push(...error.fields);
      return undefined;
    }
  }

  /** Adds a field error; cheaper than throwing one. */
  add(field: FieldPath, message: string): void {
    if (this.#errors.length < MAX_FIELD_ERRORS) this.#errors.push({ field, message });
  }

  /** @throws DomainError with all collected errors */
  throwIfAny(): void {
    const [first] = this.#errors;
    if (!first) return;
    throw new DomainError(this.code, first.message, { field: first.field, fields: this.#errors });
  }
}

function hasFields<Fields extends object>(
  fields: Partial<Fields>,
  parsers: FieldParsers<Fields>,
): fields is Fields {
  return Object.keys(parsers).every((name) => name in fields);
}
