import { defaultFieldResolver, type GraphQLSchema } from "graphql";
import { inSpan, type Tracing } from "../../telemetry/tracing.js";

/**
 * Has each field at the top of a query or mutation be a span by its name in the schema; aliases are the caller's words. What fields
 * below load is traced where it is collected.
 */
export function traceRootFields(schema: GraphQLSchema, tracing: Tracing): void {
  for (const type of [schema.getQueryType(), schema.getMutationType()]) {
    for (const field of Object.values(type?.getFields() ?? {})) {
      const { resolve = defaultFieldResolver } = field;
      const name = `${type?.name}.${field.name}`;
      field.resolve = (...resolving) =>
        tracing.current()
          ? inSpan(tracing, name, {}, async () => resolve(...resolving))
          : resolve(...resolving);
    }
  }
}
