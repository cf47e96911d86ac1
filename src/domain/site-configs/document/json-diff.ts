import { isObject, type JsonObject, type JsonValue, memberOf } from "../../shared/json.js";
import { CommonRunFinder } from "./common-runs.js";
import { JsonIdentities } from "./json-identities.js";
import { pointerTo } from "./json-pointer.js";

/** An operation of a JSON Patch (RFC 6902). */
export type JsonPatchOperation =
  | { readonly op: "add" | "replace"; readonly path: string; readonly value: JsonValue }
  | { readonly op: "remove"; readonly path: string };

/**
 * Limit on the total path length: a long key above many changes is repeated in each path, which could make the patch a thousand times as
 * large as its documents.
 */
const MAX_PATH_CHARACTERS = 4_000_000;

/**
 * Returns the changes between two documents as operations to be applied in order. Takes linear time and memory: if lists
 * differ too much for an exact search, their items are compared pairwise.
 * @param from at most MAX_LEVELS levels deep, as is `to`
 * @returns no operations if the documents are equal; the order of keys is ignored
 */
// Not a library: available ones are quadratic in the array length or replace every item after an insertion.
export function diffJson(from: JsonValue, to: JsonValue): JsonPatchOperation[] {
  const diff = new JsonDiff();
  diff.compare(from, to, "");
  const characters = diff.operations.reduce((sum, { path }) => sum + path.length, 0);
  return characters > MAX_PATH_CHARACTERS ? [{ op: "replace", path: "", value: to }] : diff.operations;
}

class JsonDiff {
  readonly operations: JsonPatchOperation[] = [];
  readonly #identities = new JsonIdentities();
  readonly #commonRuns = new CommonRunFinder();

  compare(from: JsonValue, to: JsonValue, path: string): void {
    if (this.#identities.idOf(from) === this.#identities.idOf(to)) return;
    if (isObject(from) && isObject(to)) this.#compareObjects(from, to, path);
    else if (Array.isArray(from) && Array.isArray(to)) this.#compareArrays(from, to, path);
    else this.operations.push({ op: "replace", path, value: to });
  }

  #compareObjects(from: JsonObject, to: JsonObject, path: string): void {
    for (const [key, value] of Object.entries(from)) {
      const changed = memberOf(to, key);
      if (changed === undefined) this.operations.push({ op: "remove", path: pointerTo(path, key) });
      else this.compare(value, changed, pointerTo(path, key));
    }
    for (const [key, value] of Object.entries(to)) {
      if (!Object.hasOwn(from, key)) this.operations.push({ op: "add", path: pointerTo(path, key), value });
    }
  }

  #compareArrays(from: readonly JsonValue[], to: readonly JsonValue[], path: string): void {
    const idsOf = (items: readonly JsonValue[]) => items.map((item) => this.#identities.idOf(item));
    let passed = { from: 0, to: 0 };
    for (const run of this.#commonRuns.find(idsOf(from), idsOf(to))) {
      this.#compareItems(from.slice(passed.from, run.from), to.slice(passed.to, run.to), path, passed.to);
      passed = { from: run.from + run.length, to: run.to + run.length };
    }
  }

  /** @param start index of the first item; all items before it equal those of `to` once the operations so far are applied */
  #compareItems(from: readonly JsonValue[], to: readonly JsonValue[], path: string, start: number): void {
    to.forEach((value, index) => {
      const item = from[index];
      const itemPath = pointerTo(path, start + index);
      if (item === undefined) this.operations.push({ op: "add", path: itemPath, value });
      else this.compare(item, value, itemPath);
    });
    for (let count = to.length; count < from.length; count += 1) {
      this.operations.push({ op: "remove", path: pointerTo(path, start + to.length) });
    }
  }
}
