import { isDeepStrictEqual } from "node:util";
import { type Node, parseTree } from "jsonc-parser";
import { isObject, type JsonObject, type JsonValue, memberOf } from "../../shared/json.js";
import { MAX_SITE_CONFIG_BYTES } from "../site-config.js";

/**
 * Applies a JSON Merge Patch (RFC 7396) to a JSON text. Unchanged parts keep their spelling; added parts are formatted like the
 * text, unless the result would then be too large to store. Takes time linear in text and patch.
 * @param text valid JSON without duplicate keys, at most MAX_LEVELS levels deep, as is the patch
 */
export function mergePatchText(text: string, patch: JsonValue): string {
  const root = parseTree(text);
  if (!root) throw new TypeError("There is no JSON to patch.");
  const mergeWithin = (room: number) => {
    const merged = new TextMerge(text, room).merge(root, patch, "");
    return text.slice(0, root.offset) + merged + text.slice(endOf(root));
  };
  const indented = mergeWithin(MAX_SITE_CONFIG_BYTES);
  return Buffer.byteLength(indented) <= MAX_SITE_CONFIG_BYTES ? indented : mergeWithin(0);
}

const MAX_UNIT_LENGTH = 10;

class TextMerge {
  /** Null if the text is on one line. */
  readonly #newline: string | null;
  /** The indentation of one level. */
  readonly #unit: string;

  /** @param room maximum characters of white space to write: the indentation of deep values could be a thousand times their size */
  constructor(
    private readonly text: string,
    private room: number,
  ) {
    const json = text.trim();
    this.#newline = /\r\n|[\r\n]/.exec(json)?.[0] ?? null;
    this.#unit = /[\r\n]([ \t]+)[^ \t\r\n]/.exec(json)?.[1]?.slice(0, MAX_UNIT_LENGTH) ?? "";
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
    const written = this.text.slice(node.offset, endOf(node));
    return isDeepStrictEqual(JSON.parse(written), value) ? written : this.#print(value, indentation);
  }

  #mergeMembers(object: Node, patch: JsonObject, parentIndentation: string): string {
    const members = membersOf(object, this.text);
    // Concatenate instead of joining a list, which would copy nested values once per level.
    let written = "";
    let indentation = parentIndentation;
    /** White space after the last retained member. */
    let gapAfterLast: string | null = null;
    for (const { name, start, end, value, gap, ...member } of members) {
      indentation = member.indentation ?? indentation;
      gapAfterLast ??= gap;
      const change = memberOf(patch, name);
      if (change === null) continue;
      // A member at the start of a line stays there when members before it are removed.
      written += member.indentation !== null && written !== "" ? gap : gapAfterLast;
      written +=
        change === undefined
          ? this.text.slice(start, end)
          : this.text.slice(start, value.offset) + this.merge(value, change, indentation);
      gapAfterLast = null;
    }
    const isMultiline = members.some((member) => member.indentation !== null);
    const space = members.at(-1)?.isSpaced ? " " : "";
    const known = new Set(members.map(({ name }) => name));
    for (const [name, value] of Object.entries(patch)) {
      if (value === null || known.has(name)) continue;
      const text = this.#print(withoutNulls(value), indentation);
      if (written === "") written = gapAfterLast ?? "";
      else written += `,${isMultiline ? this.#newLine(indentation) : space}`;
      written += `${JSON.stringify(name)}:${space}${text}`;
    }
    if (written === "") return "{}";
    return `{${written}${this.text.slice(members.at(-1)?.end, endOf(object))}`;
  }

  /** Formats a value like the text, or on one line if there is no room. @param indentation of the line in which it begins */
  #print(value: JsonValue, indentation: string): string {
    const compact = JSON.stringify(value);
    if (this.#newline === null || this.room === 0) return compact;
    const newLine = `${this.#newline}${indentation}`;
    // Indent by the unit only if there is room: deep values would take megabytes.
    const lines = JSON.stringify(value, null, "\t")
      .split("\n")
      .map((line) => ({ text: line.trimStart(), level: line.lastIndexOf("\t") + 1 }));
    const width = this.#unit.length || 1;
    const length = lines.reduce(
      (sum, { text, level }) => sum + newLine.length + level * width + text.length,
      -newLine.length,
    );
    if (!this.#take(length - compact.length)) return compact;
    return lines.map(({ text, level }) => this.#unit.repeat(level) + text).join(newLine);
  }

  /** Returns a line break with indentation, or nothing if there is no room. */
  #newLine(indentation: string): string {
    const newLine = `${this.#newline ?? ""}${indentation}`;
    return this.#take(newLine.length) ? newLine : "";
  }

  #take(space: number): boolean {
    if (space > this.room) return false;
    this.room -= space;
    return true;
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

function withoutNulls(patch: JsonValue): JsonValue {
  if (!isObject(patch)) return patch;
  const entries = Object.entries(patch).filter(([, value]) => value !== null);
  return Object.fromEntries(entries.map(([key, value]) => [key, withoutNulls(value)]));
}
