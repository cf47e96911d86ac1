/** Returns the error for a value of a `@oneOf` type without a field, which validation has rejected before. */
export function missingOneOfField(type: string): Error {
  return new Error(`${type} must contain exactly one field.`);
}
