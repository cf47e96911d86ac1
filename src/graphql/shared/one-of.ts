import { type FieldPath, invalidField } from "../../domain/shared/errors.js";
import { isPresent } from "../../domain/shared/json.js";

/**
 * Returns the only alternative that is set.
 * @param alternatives by name; undefined and null mean not set
 * @throws DomainError `invalid_field` unless exactly one is set
 */
export function requireOneOf<Name extends string, Value>(
  field: FieldPath,
  alternatives: Readonly<Record<Name, Value | null | undefined>>,
): Value {
  const names = Object.keys(alternatives);
  const values = Object.values<Value | null | undefined>(alternatives).filter(isPresent);
  const [first] = values;
  if (values.length !== 1 || !isPresent(first)) {
    throw invalidField(field, `must contain exactly one of ${names.join(", ")}`);
  }
  return first;
}
