import { registerEnumType } from "type-graphql";

/**
 * Creates an enumeration of the schema.
 * @param members by the name in the schema: the value in the domain, and the description
 * @returns what fields name as their type
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
