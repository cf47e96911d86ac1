import { isObject } from "../../domain/shared/json.js";
import type { ContractReply } from "./contract-reply.js";

/** One thing in which two replies differ. */
export interface ContractDifference {
  readonly kind: "status" | "header" | "keys" | "order" | "type" | "value";
  /** Where in the body, such as `user_group.name`; the name of the header; empty for the whole. */
  readonly path: string;
  readonly ours: unknown;
  readonly theirs: unknown;
}

const HEADERS = ["content-type", "cache-control", "allow"];

/** Values that each service has of its own, by their keys: what is one to the one service must be one to the other, too. */
const OWN_VALUES: Readonly<Record<string, string>> = { token: "token", team_id: "id" };
/** What is each service's own words, or differs from call to call. */
const FREE_VALUES = ["message", "request_id"];

/** Compares replies, call after call: it remembers which tokens and internal ids of the two services stand for each other. */
export class ContractComparison {
  /** The other service's value for each of ours, and ours for each of the other's. */
  readonly #theirs = new Map<string, unknown>();
  readonly #ours = new Map<string, unknown>();

  /** Tells in what two replies to one call differ, but for what must differ. */
  compare(ours: ContractReply, theirs: ContractReply): ContractDifference[] {
    const found: ContractDifference[] = [];
    if (ours.status !== theirs.status) {
      found.push({ kind: "status", path: "", ours: ours.status, theirs: theirs.status });
    }
    for (const name of HEADERS) {
      const [one = null, other = null] = [ours.headers[name], theirs.headers[name]];
      if (plain(one) !== plain(other)) found.push({ kind: "header", path: name, ours: one, theirs: other });
    }
    this.#values([], ours.body, theirs.body, (difference) => found.push(difference));
    return found;
  }

  #values(path: readonly string[], ours: unknown, theirs: unknown, tell: Tell): void {
    const place = path.join(".");
    const key = path.at(-1) ?? "";
    const [type, otherType] = [typeOf(ours), typeOf(theirs)];
    const own = OWN_VALUES[key];
    if (type !== otherType) {
      tell({ kind: "type", path: place, ours: shown(ours), theirs: shown(theirs) });
    } else if (own !== undefined) {
      if (this.#areOne(own, ours, theirs)) return;
      tell({ kind: "value", path: place, ours: this.#seen(own, ours), theirs: "another one than before" });
    } else if (isObject(ours) && isObject(theirs)) {
      this.#objects(path, ours, theirs, tell);
    } else if (Array.isArray(ours) && Array.isArray(theirs) && ours.length === theirs.length) {
      ours.forEach((value, index) => {
        this.#values([...path, String(index)], value, theirs[index], tell);
      });
    } else if (!FREE_VALUES.includes(key) && JSON.stringify(ours) !== JSON.stringify(theirs)) {
      tell({ kind: "value", path: place, ours, theirs });
    }
  }

  #objects(path: readonly string[], ours: Fields, theirs: Fields, tell: Tell): void {
    const place = path.join(".");
    const [keys, otherKeys] = [Object.keys(ours), Object.keys(theirs)];
    const shared = keys.filter((key) => otherKeys.includes(key));
    if (shared.length < keys.length || shared.length < otherKeys.length) {
      tell({ kind: "keys", path: place, ours: keys, theirs: otherKeys });
    }
    const otherShared = otherKeys.filter((key) => keys.includes(key));
    if (shared.join("\n") !== otherShared.join("\n")) {
      tell({ kind: "order", path: place, ours: keys, theirs: otherKeys });
    }
    for (const key of shared) this.#values([...path, key], ours[key], theirs[key], tell);
  }

  /** Says whether two values stand for each other; two that are both new do from now on. */
  #areOne(kind: string, ours: unknown, theirs: unknown): boolean {
    const [one, other] = [`${kind} ${ours}`, `${kind} ${theirs}`];
    if (!this.#theirs.has(one) && !this.#ours.has(other)) {
      this.#theirs.set(one, theirs);
      this.#ours.set(other, ours);
    }
    return this.#theirs.get(one) === theirs;
  }

  #seen(kind: string, ours: unknown): string {
    return this.#theirs.has(`${kind} ${ours}`) ? "the same as before" : "a new one";
  }
}

type Fields = Readonly<Record<string, unknown>>;
type Tell = (difference: ContractDifference) => void;

function plain(header: string | null): string | undefined {
  return header?.toLowerCase().replaceAll(" ", "");
}

function typeOf(value: unknown): string {
  if (value === undefined) return "no JSON";
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}

/** What is told of a value of another type: nothing long, and no secret. */
function shown(value: unknown): string {
  const type = typeOf(value);
  return type === "number" || type === "boolean" ? `${type} ${value}` : type;
}
