import { isStorable } from "../../shared/text-field.js";
import type { FindingCollector, FindingPlace } from "../finding-collector.js";
import { pointerTo } from "./json-pointer.js";
import { type ConfigNode } from "./tree.js";

/** Finds keys and strings at any level that PostgreSQL cannot store. */
export function checkStorable(node: ConfigNode, pointer: string, findings: FindingCollector): void {
  const check = (text: string, place: FindingPlace, kind: string) => {
    if (isStorable(text)) return;
    const fault = text.includes("\u0000") ? "the character U+0000" : "an unpaired surrogate";
    findings.add("unstorable_text", place, `The ${kind} contains ${fault}, which cannot be stored.`);
  };
  if (node.type === "string") check(node.value, { pointer, offset: node.offset }, "string");
  if (node.type === "array") {
    node.items.forEach((item, index) => {
      checkStorable(item, pointerTo(pointer, index), findings);
    });
  }
  if (node.type === "object") {
    for (const [key, { offset, value }] of node.members) {
      const below = pointerTo(pointer, key);
      check(key, { pointer: below, offset }, "key");
      checkStorable(value, below, findings);
    }
  }
}
