import { type Node, parseTree } from "jsonc-parser";
import { isSameJson } from "./json-text.js";

/**
 * Applies a JSON Merge Patch (RFC 7396) to a JSON text. Unchanged parts keep their spelling, and so do added parts if the text is on one
 * line; otherwise they are formatted like the text, unless the result would then be larger than `maxBytes`. Of duplicate keys the last
 * one counts. Takes time linear in text and patch.
 * @param text valid JSON
 * @param patch valid JSON without insignificant white space, no deeper than recursion handles safely, as is the text
 */
export function mergePatchText(text: string, patch: string, maxBytes: number): string {
  const root = parseTree(text);
  const change = parseTree(patch);
  if (!root || !change) throw new TypeError("There is no JSON to patch.");
  const mergeWithin = (room: number) => {
    const merged = new TextMerge(text, patch, room).merge(root, change, "");
    return text.slice(0, root.offset) + merged + text.slice(endOf(root));
  };
  const indented = mergeWithin(maxBytes);
  return Buffer.byteLength(indented) <= maxBytes ? indented : mergeWithin(0);
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
    private readonly patch: string,
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
  merge(node: Node, change: Node, indentation: string): string {
    if (change.type === "object" && node.type === "object" && node.children?.length) {
      return this.#mergeMembers(node, change, indentation);
    }
    const value = this.#withoutNulls(change);
    const written = this.text.slice(node.offset, endOf(node));
    return isSameJson(written, value) ? written : this.#print(value, indentation);
  }

  #mergeMembers(object: Node, change: Node, parentIndentation: string): string {
    const members = membersOf(object, this.text);
    const known = new Map(members.map(({ name, value }) => [name, value]));
    const changes = changesOf(change, this.patch);
    // Concatenate instead of joining a list, which would copy nested values once per level.
    let written = "";
    let indentation = parentIndentation;
    /** White space after the last retained member. */
    let gapAfterLast: string | null = null;
    for (const { name, start, end, value, gap, ...member } of members) {
      indentation = member.indentation ?? indentation;
      gapAfterLast ??= gap;
      const update = changes.get(name)?.value;
      // Without the other duplicates: each would repeat what the patch adds.
      if (update?.type === "null" || (update && known.get(name) !== value)) continue;
      // A member at the start of a line stays there when members before it are removed.
      written += member.indentation !== null && written !== "" ? gap : gapAfterLast;
      written +=
        update === undefined
          ? this.text.slice(start, end)
          : this.text.slice(start, value.offset) + this.merge(value, update, indentation);
      gapAfterLast = null;
    }
    const isMultiline = members.some((member) => member.indentation !== null);
    const space = members.at(-1)?.isSpaced ? " " : "";
    for (const { name, start, value } of changes.values()) {
      if (value.type === "null" || known.has(name)) continue;
      const text = this.#print(this.#withoutNulls(value), indentation);
      if (written === "") written = gapAfterLast ?? "";
      else written += `,${isMultiline ? this.#newLine(indentation) : space}`;
      written += this.patch.slice(start, value.offset) + space + text;
    }
    if (written === "") return "{}";
    return `{${written}${this.text.slice(members.at(-1)?.end, endOf(object))}`;
  }

  /** Returns the text of a part of the patch. */
  #withoutNulls(change: Node): string {
    if (change.type !== "object") return this.patch.slice(change.offset, endOf(change));
    let written = "";
    for (const { start, value } of changesOf(change, this.patch).values()) {
      if (value.type === "null") continue;
      written += (written && ",") + this.patch.slice(start, value.offset) + this.#withoutNulls(value);
    }
    return `{${written}}`;
  }

  /** Formats a value like the text, or on one line if there is no room. @param indentation of the line in which it begins */
  #print(compact: string, indentation: string): string {
    if (this.#newline === null || this.room === 0) return compact;
    const newLine = `${this.#newline}${indentation}`;
    // Indent by the unit only if there is room: deep values would take megabytes.
    const lines = JSON.stringify(JSON.parse(compact), null, "\t")
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

/** Returns the members of a patch by name. */
function changesOf(change: Node, patch: string): ReadonlyMap<string, Member> {
  return new Map(membersOf(change, patch).map((member) => [member.name, member]));
}

function endOf({ offset, length }: Node): number {
  return offset + length;
}
