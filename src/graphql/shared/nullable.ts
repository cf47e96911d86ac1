/** Returns the options of a nullable field or argument. */
export function nullable(description: string) {
  return { nullable: true, description } as const;
}

/** Returns the options of an input field that is parsed by `parseGuard`. */
export function guard(description: string) {
  return nullable(`${description} Must not be null.`);
}

/** Returns the options of the guard `expectedVersion`. @param object such as "data source" */
export function versionGuard(object: string) {
  return guard(`The version that the ${object} must have, as you last read it.`);
}

/** Returns the error for a value of a `@oneOf` type without a field, which validation has rejected before. */
export function missingOneOfField(type: string): Error {
  return new Error(`${type} must contain exactly one field.`);
}
