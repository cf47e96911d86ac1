import { type Node, parseTree } from "jsonc-parser";
import { isObject, type JsonObject, type JsonValue, memberOf } from "../../shared/json.js";
import { MAX_SITE_CONFIG_BYTES } from "../site-config.js";
import { TextLayout } from "./text-layout.js";

/**
 * Applies a JSON Merge Patch (RFC 7396) to a JSON text. What the patch does not change stays as it is spelt; what it adds is
 * laid out as the text is, unless the outcome could not be stored for that. Takes time linear in text and patch.
 * @param text valid JSON without duplicate keys, at most MAX_LEVELS levels deep, as the patch
 */
export function mergePatchText(text: string, patch: JsonValue): string {
  const root = parseTree(text);
  if (!root) throw new TypeError("There is no JSON to patch.");
  const mergeWithin = (room: number) => {
    const merged = new TextMerge(text, new TextLayout(text, room)).merge(root, patch, "");
    return text.slice(0, root.offset) + merged + text.slice(endOf(root));
  };
  const spread = mergeWithin(MAX_SITE_CONFIG_BYTES);
  return Buffer.byteLength(spread) <= MAX_SITE_CONFIG_BYTES ? spread : mergeWithin(0);
}

class TextMerge {
  readonly #text: string;
  readonly #layout: TextLayout;

  constructor(text: string, layout: TextLayout) {
    this.#text = text;
    this.#layout = layout;
  }

  /**
   * @param indentation of the line in which the value begins
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

  #mergeMembers(object: Node, patch: JsonObject, outer: string): string {
    const members = membersOf(object, this.#text);
    // Not a list to be joined: that would copy what is deep once for each level.
    let written = "";
    let indentation = outer;
    /** What stands behind the last member that is kept. */
    let behind: string | null = null;
    for (const member of members) {
      indentation = member.indentation ?? indentation;
      behind ??= member.gap;
      const change = memberOf(patch, member.name);
      if (change === null) continue;
      // What begins a line still does so when members before it go.
      written += member.indentation !== null && written !== "" ? member.gap : behind;
      written += this.#mergeMember(member, change, indentation);
      behind = null;
    }
    const isSpread = members.some((member) => member.indentation !== null);
    const space = members.at(-1)?.isSpaced ? " " : "";
    const separate = () => `,${isSpread ? this.#layout.newLine(indentation) : space}`;
    const known = new Set(members.map(({ name }) => name));
    for (const [name, value] of Object.entries(patch)) {
      if (value === null || known.has(name)) continue;
      const text = this.#layout.print(withoutNulls(value), indentation);
      written += written === "" ? (behind ?? "") : separate();
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
  /** What stands between it and the member or bracket before it. */
  readonly gap: string;
  /** Null where it begins no line. */
  readonly indentation: string | null;
  /** Whether space follows the colon. */
  readonly isSpaced: boolean;
}

function membersOf(object: Node, text: string): Member[] {
  let before = object.offset + 1;
  return (object.children ?? []).flatMap((member) => {
    const [key, value] = member.children ?? [];
    if (!key || !value) return [];
    const gap = text.slice(before, member.offset);
    before = endOf(member);
    // A comma may begin the line.
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

/** Says whether a text has this value already, in whatever spelling. */
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
