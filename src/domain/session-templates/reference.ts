import { MAX_VARIABLES_DEPTH } from "../authentication/embed-session.js";
import { type FieldPath, invalidField } from "../shared/errors.js";
import type { JsonValue } from "../shared/json.js";
import { MAX_PROPERTIES_DEPTH } from "../user-groups/properties.js";

// {{ PATH | FILTER | FILTER ?? DEFAULT }}, or {{ "constant text" }}.

/** What a reference can begin with, and how many names may follow; at least one does where any may. */
const ROOTS = {
  "userGroup.providedId": 0,
  "userGroup.teamId": 0,
  "userGroup.name": 0,
  "userGroup.properties": MAX_PROPERTIES_DEPTH,
  "userGroup.mapping": 1,
  variables: MAX_VARIABLES_DEPTH,
  "account.name": 0,
  environment: 0,
  "session.id": 0,
} as const;

export type ReferenceRoot = keyof typeof ROOTS;

/** Ways to write a value as text, or into one. */
const ENCODERS = ["sqlString", "number", "uri", "text"] as const;

export type Encoder = (typeof ENCODERS)[number];

/** A reference to a value of the session's group or request. */
export interface Reference {
  /** As written in the template. */
  readonly source: string;
  readonly root: ReferenceRoot;
  /** The names of the members below the root, from the outermost. */
  readonly names: readonly string[];
  readonly encoder?: Encoder;
  /** The only values that are allowed. */
  readonly oneOf?: readonly string[];
  readonly allowsEmpty: boolean;
  /** Used in place of a missing value. */
  readonly fallback?: JsonValue;
}

/** A text of a template: constant texts and references, in their order. */
export type TemplateText = readonly (string | Reference)[];

/** Returns the references of a text, without its constant texts. */
export function referencesIn(parts: TemplateText): readonly Reference[] {
  return parts.filter((part) => typeof part !== "string");
}

const OPENING = "{{";
const CLOSING = "}}";
const STRING = String.raw`"(?:[^"\\]|\\.)*"`;

const CONSTANT = new RegExp(String.raw`\s*(${STRING})\s*\}\}`, "y");
const ROOT = new RegExp(
  String.raw`\s*(${Object.keys(ROOTS).join("|").replaceAll(".", "\\.")})(?![\w-])`,
  "y",
);
const NAME = new RegExp(String.raw`\.([\w-]+)|\[(${STRING})\]`, "y");
const FILTER = new RegExp(String.raw`\s*\|\s*(\w+)(\((?:[^()"]|${STRING})*\))?`, "y");
const FALLBACK = /\s*\?\?/y;
const JSON_PART = new RegExp(String.raw`${STRING}|[[\]{}]|[^"[\]{}]+`, "y");
const END = /\s*\}\}/y;

/** Parses a text of a template. @throws DomainError `invalid_field` with the first reference that is not one, and the rule */
export function parseTemplateText(text: string, field: FieldPath): TemplateText {
  const parts: (string | Reference)[] = [];
  const addText = (constant: string) => {
    if (constant !== "") parts.push(constant);
  };
  let end = 0;
  for (let start = text.indexOf(OPENING); start >= 0; start = text.indexOf(OPENING, end)) {
    addText(requireNoClosing(text.slice(end, start), field));
    const reader = new ReferenceReader(text, start, field);
    const part = reader.read();
    if (typeof part === "string") addText(part);
    else parts.push(part);
    end = reader.end;
  }
  addText(requireNoClosing(text.slice(end), field));
  return parts;
}

function requireNoClosing(constant: string, field: FieldPath): string {
  if (!constant.includes(CLOSING)) return constant;
  throw invalidField(field, 'has `}}` without `{{` before it; write `{{ "}}" }}` for the two characters');
}

/** Reads one reference, from its opening braces. */
class ReferenceReader {
  /** The offset of what is read next. */
  end: number;

  constructor(
    private readonly text: string,
    private readonly start: number,
    private readonly field: FieldPath,
  ) {
    this.end = start + OPENING.length;
  }

  read(): string | Reference {
    const constant = this.#match(CONSTANT);
    if (constant) return this.#parseJson(constant[1] ?? "", "a text in double quotes");
    const root = this.#root();
    const names = this.#names(root);
    const filters = this.#filters();
    const fallback = this.#match(FALLBACK) ? { fallback: this.#fallback() } : {};
    if (!this.#match(END))
      throw this.#error("must be a path, filters such as `| text`, and a default after `??`");
    return { source: this.text.slice(this.start, this.end), root, names, ...filters, ...fallback };
  }

  #root(): ReferenceRoot {
    const [, written] = this.#match(ROOT) ?? [];
    const root = Object.keys(ROOTS).find((each): each is ReferenceRoot => each === written);
    if (root) return root;
    throw this.#error(`must begin with one of ${Object.keys(ROOTS).join(", ")}`);
  }

  #names(root: ReferenceRoot): string[] {
    const names: string[] = [];
    for (let match = this.#match(NAME); match; match = this.#match(NAME)) {
      const [, plain, quoted] = match;
      names.push(plain ?? this.#parseJson(quoted ?? "", 'a quoted name such as ["a.b"]'));
    }
    const max = ROOTS[root];
    if (max === 0 && names.length > 0) throw this.#error(`must end with \`${root}\``);
    if (max > 0 && names.length === 0) throw this.#error(`must name a member, as \`${root}.region\` does`);
    if (names.length > max) throw this.#error(`must name at most ${max} members after \`${root}\``);
    return names;
  }

  #filters(): Pick<Reference, "encoder" | "oneOf" | "allowsEmpty"> {
    let filters: Pick<Reference, "encoder" | "oneOf" | "allowsEmpty"> = { allowsEmpty: false };
    for (let match = this.#match(FILTER); match; match = this.#match(FILTER)) {
      const [, name = "", list] = match;
      const encoder = ENCODERS.find((each) => each === name);
      if (name === "oneOf" && list !== undefined && !filters.oneOf) {
        filters = { ...filters, oneOf: this.#texts(list) };
      } else if (list !== undefined || name === "oneOf") {
        throw this.#error('must use `oneOf` once, as in `oneOf("viewer", "editor")`, and no list elsewhere');
      } else if (name === "allowEmpty") {
        filters = { ...filters, allowsEmpty: true };
      } else if (encoder && !filters.encoder) {
        filters = { ...filters, encoder };
      } else {
        throw this.#error(`must use one of ${ENCODERS.join(", ")} at most, and oneOf and allowEmpty`);
      }
    }
    return filters;
  }

  /** Parses the texts of `oneOf`, in parentheses. */
  #texts(list: string): string[] {
    const values: unknown = this.#parse(`[${list.slice(1, -1)}]`);
    if (Array.isArray(values) && values.length > 0 && values.every((value) => typeof value === "string"))
      return values;
    throw this.#error('must list texts, as in `oneOf("viewer", "editor")`');
  }

  /** Reads JSON up to the closing braces behind it, each character once: a text may have many braces. */
  #fallback(): JsonValue {
    const start = this.end;
    for (let levels = 0; levels > 0 || !this.text.startsWith(CLOSING, this.end); ) {
      const [part] = this.#match(JSON_PART) ?? [];
      if (part === undefined) break;
      if (part === "[" || part === "{") levels += 1;
      else if (part === "]" || part === "}") levels -= 1;
      if (levels > MAX_PROPERTIES_DEPTH)
        throw this.#error(`must have at most ${MAX_PROPERTIES_DEPTH} levels of JSON after \`??\``);
    }
    const value = this.#parse(this.text.slice(start, this.end));
    if (value === undefined) throw this.#error('must have JSON after `??`, as in `?? "EU"`');
    return value;
  }

  #parseJson(json: string, what: string): string {
    const value = this.#parse(json);
    if (typeof value === "string") return value;
    throw this.#error(`must have ${what}`);
  }

  /** @returns undefined if the text is not JSON */
  #parse(json: string): JsonValue | undefined {
    try {
      return JSON.parse(json);
    } catch {
      return undefined;
    }
  }

  #match(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.end;
    const match = pattern.exec(this.text);
    if (match) this.end += match[0].length;
    return match;
  }

  #error(rule: string) {
    const end = this.text.indexOf(CLOSING, this.start);
    const source = this.text
      .slice(this.start, end < 0 ? undefined : end + CLOSING.length)
      .slice(0, MAX_QUOTED);
    return invalidField(this.field, `has the reference \`${source}\`, which ${rule}`);
  }
}

/** Longer references are cut in messages. */
const MAX_QUOTED = 100;
