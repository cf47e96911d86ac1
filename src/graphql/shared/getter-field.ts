import { Field } from "type-graphql";

/**
 * A field that a getter gives. To `Field`, a getter is a resolver with all that resolvers may need, each time it is read; this is as simple
 * as a property, and like that takes neither arguments nor the context.
 */
export function GetterField(...field: Parameters<typeof Field>): PropertyDecorator {
  return (prototype, name) => Field(...field)(prototype, name);
}
