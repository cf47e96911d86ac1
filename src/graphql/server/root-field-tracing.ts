import type { Tracer } from "@opentelemetry/api";
import { defaultFieldResolver, type GraphQLSchema } from "graphql";
import { inSpan, recordedSpan } from "../../telemetry/tracing.js";

/**
 * Creates a span for each root field of queries and mutations, named after the schema field because aliases are caller-controlled.
 * Batch loaders trace the loads of nested fields.
 */
export function traceRootFields(schema: GraphQLSchema, tracing: Tracer): void {
  for (const type of [schema.getQueryType(), schema.getMutationType()]) {
    for (const field of Object.values(type?.getFields() ?? {})) {
      const { resolve = defaultFieldResolver } = field;
      const name = `${type?.name}.${field.name}`;
      field.resolve = (...args) =>
        recordedSpan() ? inSpan(tracing, name, {}, async () => resolve(...args)) : resolve(...args);
    }
  }
}
