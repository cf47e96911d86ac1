import { type FieldPath, invalidField } from "../../domain/shared/errors.js";
import { isGiven } from "../../domain/shared/json.js";

/**
 * Picks the one alternative that was given.
 * @param alternatives by name; undefined or null where it was not given
 * @throws DomainError `invalid_field` when none or several were given
 */
export function requireOneOf<Name extends string, Value>(
  field: FieldPath,
  alternatives: Readonly<Record<Name, Value | null | undefined>>,
): Value {
  const names = Object.keys(alternatives);
  const given = Object.values<Value | null | undefined>(alternatives).filter(isGiven);
  const [first] = given;
  if (given.length !== 1 || !isGiven(first)) {
    throw invalidField(field, `must name exactly one of ${names.join(", ")}`);
  }
  return first;
}
