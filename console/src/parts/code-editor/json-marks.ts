import { findNodeAtLocation, parseTree } from "jsonc-parser";
import type { UserErrors } from "../../api/user-errors.js";
import type { Mark } from "./props.js";

/** Returns a mark for each error about an input field whose value is a JSON text, at the part that the error's path names. */
export function jsonMarks(text: string, errors: UserErrors, input: string): readonly Mark[] {
  const root = parseTree(text);
  return errors.flatMap(({ field, message }) => {
    const [first, ...names] = field ?? [];
    if (first !== input || !root) return [];
    const path: (string | number)[] = [];
    for (const name of names) {
      const isItem = findNodeAtLocation(root, path)?.type === "array";
      path.push(isItem ? Number(name) : name);
    }
    const before = text.slice(0, findNodeAtLocation(root, path)?.offset ?? 0).split("\n");
    const column = (before.at(-1) ?? "").length + 1;
    return [{ line: before.length, column, severity: "error" as const, message }];
  });
}
