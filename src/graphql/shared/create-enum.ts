import { registerEnumType } from "type-graphql";

/**
 * Creates a GraphQL enum.
 * @param members domain value and description by GraphQL name
 * @returns the type for `@Field`
 */
export function createEnum<Value extends string>(
  name: string,
  description: string,
  members: Readonly<Record<string, readonly [value: Value, description: string]>>,
): Readonly<Record<string, Value>> {
  const entries = Object.entries(members);
  const enumeration = Object.fromEntries(entries.map(([member, [value]]) => [member, value]));
  registerEnumType(enumeration, {
    name,
    description,
    valuesConfig: Object.fromEntries(
      entries.map(([member, [, meaning]]) => [member, { description: meaning }]),
    ),
  });
  return enumeration;
}
