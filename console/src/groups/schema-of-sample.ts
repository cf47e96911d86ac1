import type { PropertySample } from "./typed-value.js";

const TYPES = { text: "string", number: "number", boolean: "boolean" } as const;

/** Returns the text of a schema for the properties that groups have, each with the type of most of its values. */
export function schemaOfSample(sample: PropertySample): string {
  const properties = Object.fromEntries(
    [...sample].map(([name, { type }]) => [name, type === "json" ? {} : { type: TYPES[type] }]),
  );
  return JSON.stringify({ type: "object", properties }, null, 2);
}
