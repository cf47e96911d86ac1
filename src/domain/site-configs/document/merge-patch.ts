import { type Node, parseTree } from "jsonc-parser";
import { isObject, type JsonObject, type JsonValue, memberOf } from "../../shared/json.js";
import { MAX_SITE_CONFIG_BYTES } from "../site-config.js";
import { TextLayout } from "./text-layout.js";

/**
 * Applies a JSON Merge Patch (RFC 7396) to a JSON text. Unchanged parts keep their spelling; added parts are formatted like the
 * text, unless the result would then be too large to store. Takes time linear in text and patch.
 * @param text valid JSON without duplicate keys, at most MAX_LEVELS levels deep, as is the patch
 */
export function mergePatchText(text: string, patch: JsonValue): string {
  const root = parseTree(text);
  if (!root) throw new TypeError("There is no JSON to patch.");
  const mergeWithin = (room: number) => {
    const merged = new TextMerge(text, new TextLayout(text, room)).merge(root, patch, "");
    return text.slice(0, root.offset) + merged + text.slice(endOf(root));
  };
  const indented = mergeWithin(MAX_SITE_CONFIG_BYTES);
  return Buffer.byteLength(indented) <= MAX_SITE_CONFIG_BYTES ? indented : mergeWithin(0);
}

class TextMerge {
  readonly #text: string;
  readonly #layout: TextLayout;

  constructor(text: string, layout: TextLayout) {
    this.#text = text;
    this.#layout = layout;
  }

  /**
   * @param indentation indentation of the line in which the value begins
   * @returns the new text of the value
   */
  merge(node: Node, patch: JsonValue, indentation: string): string {
    if (isObject(patch) && node.type === "object" && node.children?.length) {
      return this.#mergeMembers(node, patch, indentation);
    }
    const value = withoutNulls(patch);
    return isSame(node, value)
      ? this.#text.slice(node.offset, endOf(node))
      : this.#layout.print(value, indentation);
  }

  #mergeMembers(object: Node, patch: JsonObject, parentIndentation: string): string {
    const members = membersOf(object, this.#text);
    // Concatenate instead of joining a list, which would copy nested values once per level.
    let written = "";
    let indentation = parentIndentation;
    /** White space after the last retained member. */
    let gapAfterLast: string | null = null;
    for (const member of members) {
      indentation = member.indentation ?? indentation;
      gapAfterLast ??= member.gap;
      const change = memberOf(patch, member.name);
      if (change === null) continue;
      // A member at the start of a line stays there when members before it are removed.
      written += member.indentation !== null && written !== "" ? member.gap : gapAfterLast;
      written += this.#mergeMember(member, change, indentation);
      gapAfterLast = null;
    }
    const isMultiline = members.some((member) => member.indentation !== null);
    const space = members.at(-1)?.isSpaced ? " " : "";
    const separate = () => `,${isMultiline ? this.#layout.newLine(indentation) : space}`;
    const known = new Set(members.map(({ name }) => name));
    for (const [name, value] of Object.entries(patch)) {
      if (value === null || known.has(name)) continue;
      const text = this.#layout.print(withoutNulls(value), indentation);
      written += written === "" ? (gapAfterLast ?? "") : separate();
      written += `${JSON.stringify(name)}:${space}${text}`;
    }
    if (written === "") return "{}";
    return `{${written}${this.#text.slice(members.at(-1)?.end, endOf(object))}`;
  }

  #mergeMember({ start, end, value }: Member, change: JsonValue | undefined, indentation: string): string {
    if (change === undefined) return this.#text.slice(start, end);
    return this.#text.slice(start, value.offset) + this.merge(value, change, indentation);
  }
}

interface Member {
  readonly name: string;
  readonly value: Node;
  readonly start: number;
  readonly end: number;
  /** The text between the member and the member or bracket before it. */
  readonly gap: string;
  /** Null if the member does not begin a line. */
  readonly indentation: string | null;
  readonly isSpaced: boolean;
}

function membersOf(object: Node, text: string): Member[] {
  let before = object.offset + 1;
  return (object.children ?? []).flatMap((member) => {
    const [key, value] = member.children ?? [];
    if (!key || !value) return [];
    const gap = text.slice(before, member.offset);
    before = endOf(member);
    // The line may begin with a comma.
    const indentation = /[\r\n]([^\r\n]*)$/.exec(gap)?.[1]?.replace(",", "") ?? null;
    const isSpaced = text[value.offset - 1] !== ":";
    return [
      { name: String(key.value), value, start: member.offset, end: before, gap, indentation, isSpaced },
    ];
  });
}

function endOf({ offset, length }: Node): number {
  return offset + length;
}

/** Returns whether a node has this value, regardless of spelling. */
function isSame({ type, children = [], value: literal }: Node, value: JsonValue): boolean {
  if (isObject(value)) {
    return (
      type === "object" &&
      children.length === Object.keys(value).length &&
      children.every(({ children: [key, node] = [] }) => {
        const member = memberOf(value, String(key?.value));
        return node !== undefined && member !== undefined && isSame(node, member);
      })
    );
  }
  if (!Array.isArray(value)) return literal === value;
  return (
    type === "array" &&
    children.length === value.length &&
    children.every((item, index) => isSame(item, value[index]))
  );
}

function withoutNulls(patch: JsonValue): JsonValue {
  if (!isObject(patch)) return patch;
  const entries = Object.entries(patch).filter(([, value]) => value !== null);
  return Object.fromEntries(entries.map(([key, value]) => [key, withoutNulls(value)]));
}
