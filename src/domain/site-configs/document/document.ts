import { isObject, type JsonValue } from "../../shared/json.js";
import type { FindingCollector } from "../finding-collector.js";
import { pointerTo } from "./json-pointer.js";
import { type ConfigMember, type ConfigNode, MAX_LEVELS, TOO_DEEP } from "./tree.js";

/** Converts a parsed document into a tree whose offsets number its keys and values. Returns null, with a finding, if it is too deep. */
export function treeOfDocument(document: JsonValue, findings: FindingCollector): ConfigNode | null {
  let count = 0;
  let tooDeep = false;
  const treeOf = (value: JsonValue, pointer: string, level: number): ConfigNode => {
    const offset = count++;
    if (typeof value === "string") return { type: "string", offset, value };
    if (typeof value === "number") return { type: "number", offset };
    if (typeof value === "boolean") return { type: "boolean", offset };
    if (value === null || tooDeep) return { type: "null", offset };
    if (level > MAX_LEVELS) {
      tooDeep = true;
      findings.add("too_deep", { pointer, offset }, TOO_DEEP);
      return { type: "null", offset };
    }
    if (!isObject(value)) {
      const items = value.map((item, index) => treeOf(item, pointerTo(pointer, index), level + 1));
      return { type: "array", offset, items };
    }
    const members = new Map<string, ConfigMember>();
    for (const [key, item] of Object.entries(value)) {
      const keyOffset = count++;
      members.set(key, { offset: keyOffset, value: treeOf(item, pointerTo(pointer, key), level + 1) });
    }
    return { type: "object", offset, members };
  };
  const tree = treeOf(document, "", 1);
  return tooDeep ? null : tree;
}
