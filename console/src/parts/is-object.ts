import { ExactNumber } from "../api/exact-json.js";

/** Returns whether a value of JSON is an object. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  const isContainer = typeof value === "object" && value !== null;
  return isContainer && !Array.isArray(value) && !(value instanceof ExactNumber);
}
