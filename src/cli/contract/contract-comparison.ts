import { isObject } from "../../domain/shared/json.js";
import type { ContractReply } from "./contract-reply.js";

/** One difference between two replies. */
export interface ContractDifference {
  readonly kind: "status" | "header" | "keys" | "order" | "type" | "value";
  /** Path in the body, such as `user_group.name`, or name of the header; empty for the whole. */
  readonly path: string;
  readonly ours: unknown;
  readonly theirs: unknown;
}

const HEADERS = ["content-type", "cache-control", "allow"];

/** Values that each service assigns, by key. They differ, but must correspond consistently between the services. */
const ASSIGNED_VALUES: Readonly<Record<string, string>> = { token: "token", team_id: "id" };
/** Values that are free text or differ in every call. */
const IGNORED_VALUES = ["message", "request_id"];

/** Compares replies, and remembers which tokens and internal IDs of the two services correspond. */
export class ContractComparison {
  /** Their value for each of ours, and vice versa. */
  readonly #theirs = new Map<string, unknown>();
  readonly #ours = new Map<string, unknown>();

  /** Returns the differences between two replies to the same call, except for values that must differ. */
  compare(ours: ContractReply, theirs: ContractReply): ContractDifference[] {
    const found: ContractDifference[] = [];
    if (ours.status !== theirs.status) {
      found.push({ kind: "status", path: "", ours: ours.status, theirs: theirs.status });
    }
    for (const name of HEADERS) {
      const [one = null, other = null] = [ours.headers[name], theirs.headers[name]];
      if (normalize(one) !== normalize(other))
        found.push({ kind: "header", path: name, ours: one, theirs: other });
    }
    this.#values([], ours.body, theirs.body, (difference) => found.push(difference));
    return found;
  }

  #values(path: readonly string[], ours: unknown, theirs: unknown, report: Report): void {
    const place = path.join(".");
    const key = path.at(-1) ?? "";
    const [type, otherType] = [typeOf(ours), typeOf(theirs)];
    const assignedKind = ASSIGNED_VALUES[key];
    if (type !== otherType) {
      report({ kind: "type", path: place, ours: describe(ours), theirs: describe(theirs) });
    } else if (assignedKind !== undefined) {
      if (this.#correspond(assignedKind, ours, theirs)) return;
      report({
        kind: "value",
        path: place,
        ours: this.#seen(assignedKind, ours),
        theirs: "different from before",
      });
    } else if (isObject(ours) && isObject(theirs)) {
      this.#objects(path, ours, theirs, report);
    } else if (Array.isArray(ours) && Array.isArray(theirs) && ours.length === theirs.length) {
      ours.forEach((value, index) => {
        this.#values([...path, String(index)], value, theirs[index], report);
      });
    } else if (!IGNORED_VALUES.includes(key) && JSON.stringify(ours) !== JSON.stringify(theirs)) {
      report({ kind: "value", path: place, ours, theirs });
    }
  }

  #objects(path: readonly string[], ours: Fields, theirs: Fields, report: Report): void {
    const place = path.join(".");
    const [keys, otherKeys] = [Object.keys(ours), Object.keys(theirs)];
    const shared = keys.filter((key) => otherKeys.includes(key));
    if (shared.length < keys.length || shared.length < otherKeys.length) {
      report({ kind: "keys", path: place, ours: keys, theirs: otherKeys });
    }
    const otherShared = otherKeys.filter((key) => keys.includes(key));
    if (shared.join("\n") !== otherShared.join("\n")) {
      report({ kind: "order", path: place, ours: keys, theirs: otherKeys });
    }
    for (const key of shared) this.#values([...path, key], ours[key], theirs[key], report);
  }

  /** Returns whether two values correspond; records the pair if both are new. */
  #correspond(kind: string, ours: unknown, theirs: unknown): boolean {
    const [one, other] = [`${kind} ${ours}`, `${kind} ${theirs}`];
    if (!this.#theirs.has(one) && !this.#ours.has(other)) {
      this.#theirs.set(one, theirs);
      this.#ours.set(other, ours);
    }
    return this.#theirs.get(one) === theirs;
  }

  #seen(kind: string, ours: unknown): string {
    return this.#theirs.has(`${kind} ${ours}`) ? "same as before" : "new";
  }
}

type Fields = Readonly<Record<string, unknown>>;
type Report = (difference: ContractDifference) => void;

function normalize(header: string | null): string | undefined {
  return header?.toLowerCase().replaceAll(" ", "");
}

function typeOf(value: unknown): string {
  if (value === undefined) return "not JSON";
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}

/** Describes a value of another type, without long text or secrets. */
function describe(value: unknown): string {
  const type = typeOf(value);
  return type === "number" || type === "boolean" ? `${type} ${value}` : type;
}
