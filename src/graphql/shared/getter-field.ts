import { Field } from "type-graphql";

/**
 * Declares a getter as a field without arguments or context. On a getter, `Field` would create a full resolver with its overhead on
 * every read; this is as cheap as a property.
 */
export function GetterField(...field: Parameters<typeof Field>): PropertyDecorator {
  return (prototype, name) => Field(...field)(prototype, name);
}
