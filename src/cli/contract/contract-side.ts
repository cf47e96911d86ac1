import { isObject } from "../../domain/shared/json.js";
import type { ContractReply, ContractRequest } from "./contract-reply.js";

/** Where the calls go, and with which API key. */
export interface ContractTarget {
  readonly url: string;
  readonly key: string;
}

/** What one of the two services has told so far: its tokens and ids are others than those of the other one. */
export class ContractSide {
  readonly target: ContractTarget;
  /** The tokens of each group, the present one last, by provided ids. */
  readonly #tokens = new Map<string, string[]>();

  constructor(target: ContractTarget) {
    this.target = target;
  }

  /** The provided ids of all groups that it told of, or may have made without a reply. */
  get groups(): readonly string[] {
    return [...this.#tokens.keys()];
  }

  /** @returns a text that is nobody's token when none is known */
  tokenOf(providedId: string): string {
    return this.#tokens.get(providedId)?.at(-1) ?? "unknown-token";
  }

  /** The token before the present one. */
  formerTokenOf(providedId: string): string {
    return this.#tokens.get(providedId)?.at(-2) ?? "unknown-token";
  }

  /** Remembers the token of the group in a reply. */
  note({ body }: ContractReply): void {
    const group = isObject(body) ? body["user_group"] : undefined;
    if (!isObject(group)) return;
    const { provided_id: given, token } = group;
    if ((typeof given !== "string" && typeof given !== "number") || typeof token !== "string") return;
    const providedId = String(given);
    const tokens = this.#tokens.get(providedId) ?? [];
    if (tokens.at(-1) !== token) this.#tokens.set(providedId, [...tokens, token]);
  }

  /** Remembers that a call may have created a group, as nobody knows what became of it. */
  noteUnanswered({ method, body }: ContractRequest): void {
    const [, providedId] = /"user_group_id":"?([^",}]+)/.exec(body ?? "") ?? [];
    if (method !== "GET" || providedId === undefined || this.#tokens.has(providedId)) return;
    this.#tokens.set(providedId, []);
  }
}
