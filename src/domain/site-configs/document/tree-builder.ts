import type { FindingCollector, FindingPlace } from "../finding-collector.js";
import { pointerTo, quote } from "./json-pointer.js";
import { type ConfigMember, type ConfigNode, MAX_LEVELS } from "./tree.js";

interface OpenObject {
  readonly place: FindingPlace;
  readonly members: Map<string, ConfigMember>;
  key: { readonly name: string; readonly offset: number } | null;
}

interface OpenArray {
  readonly place: FindingPlace;
  readonly items: ConfigNode[];
}

/** Builds a tree from parser events, and finds duplicate keys and trailing commas. */
export class ConfigTreeBuilder {
  readonly #findings: FindingCollector;
  readonly #open: (OpenObject | OpenArray)[] = [];
  #root: ConfigNode | null = null;
  #lastComma: number | null = null;

  constructor(findings: FindingCollector) {
    this.#findings = findings;
  }

  get root(): ConfigNode | null {
    return this.#root;
  }

  /** The innermost open object or array. */
  get container(): FindingPlace {
    return this.#open.at(-1)?.place ?? { pointer: "", offset: 0 };
  }

  /** The pointer of the next value, or of the open object if a key is expected. */
  get pointer(): string {
    const open = this.#open.at(-1);
    if (!open) return "";
    if ("items" in open) return pointerTo(open.place.pointer, open.items.length);
    return open.key ? pointerTo(open.place.pointer, open.key.name) : open.place.pointer;
  }

  /** Returns whether the expected key or value may begin with this character. */
  expects(character: string): boolean {
    const open = this.#open.at(-1);
    return open !== undefined && ("items" in open ? /["{[\dtfn-]/ : /"/).test(character);
  }

  /** @returns false if the object is too deep */
  beginObject(offset: number): boolean {
    this.#open.push({ place: { pointer: this.pointer, offset }, members: new Map(), key: null });
    this.#lastComma = null;
    return this.#open.length <= MAX_LEVELS;
  }

  /** @returns false if the array is too deep */
  beginArray(offset: number): boolean {
    this.#open.push({ place: { pointer: this.pointer, offset }, items: [] });
    this.#lastComma = null;
    return this.#open.length <= MAX_LEVELS;
  }

  key(name: string, offset: number): void {
    this.#lastComma = null;
    const open = this.#open.at(-1);
    if (!open || "items" in open) return;
    open.key = { name, offset };
    if (open.members.has(name)) {
      const message = () => `The object has the key ${quote(name)} more than once; remove the duplicates.`;
      this.#findings.add("duplicate_key", { pointer: this.pointer, offset }, message);
    }
  }

  literal(value: unknown, offset: number): void {
    if (typeof value === "string") this.#put({ type: "string", offset, value });
    else if (value === null) this.#put({ type: "null", offset });
    else this.#put({ type: typeof value === "boolean" ? "boolean" : "number", offset });
  }

  separator(character: string, offset: number): void {
    if (character === ",") this.#lastComma = offset;
  }

  /** Closes the innermost object or array. */
  end(): void {
    const open = this.#open.at(-1);
    if (!open) return;
    const { pointer, offset } = open.place;
    if (this.#lastComma !== null) {
      const message = `A comma is not allowed before a closing ${"items" in open ? "]" : "}"}.`;
      this.#findings.add("trailing_comma", { pointer, offset: this.#lastComma }, message);
    }
    this.#open.pop();
    if ("items" in open) this.#put({ type: "array", offset, items: open.items });
    else this.#put({ type: "object", offset, members: open.members });
  }

  #put(node: ConfigNode): void {
    this.#lastComma = null;
    const open = this.#open.at(-1);
    if (!open) {
      this.#root = node;
    } else if ("items" in open) {
      open.items.push(node);
    } else if (open.key) {
      open.members.set(open.key.name, { offset: open.key.offset, value: node });
      open.key = null;
    }
  }
}
