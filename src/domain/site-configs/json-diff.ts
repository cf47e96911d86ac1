import fastJsonPatch from "fast-json-patch";
import type { JsonObject } from "../shared/json.js";
import { MAX_SITE_CONFIG_BYTES } from "./site-config.js";

/** An operation of a JSON Patch (RFC 6902). */
export type JsonPatchOperation = ReturnType<typeof fastJsonPatch.compare>[number];

/**
 * Returns the changes between two documents as operations to be applied in order; the order of keys is ignored, and the items of lists
 * are compared by their index. One operation replaces the document if the paths would be longer than any document: a long key above many
 * changes is repeated in each path.
 */
export function diffJson(from: JsonObject, to: JsonObject): readonly JsonPatchOperation[] {
  const operations = fastJsonPatch.compare(from, to);
  const characters = operations.reduce((sum, { path }) => sum + path.length, 0);
  return characters > MAX_SITE_CONFIG_BYTES ? [{ op: "replace", path: "", value: to }] : operations;
}
