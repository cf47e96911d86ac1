import { isObject } from "../../domain/shared/json.js";
import type { ContractReply, ContractRequest } from "./contract-reply.js";

/** Base URL and API key of a service. */
export interface ContractTarget {
  readonly url: string;
  readonly key: string;
}

/** The tokens and IDs that one of the two services has returned so far. */
export class ContractSide {
  readonly target: ContractTarget;
  /** Tokens of each group by external ID, the current one last. */
  readonly #tokens = new Map<string, string[]>();

  constructor(target: ContractTarget) {
    this.target = target;
  }

  /** External IDs of all groups that the service returned, or may have created without a reply. */
  get groups(): readonly string[] {
    return [...this.#tokens.keys()];
  }

  /** Returns the current token of a group, or a text that is no valid token if none is known. */
  tokenOf(providedId: string): string {
    return this.#tokens.get(providedId)?.at(-1) ?? "unknown-token";
  }

  /** Returns the previous token of a group. */
  previousTokenOf(providedId: string): string {
    return this.#tokens.get(providedId)?.at(-2) ?? "unknown-token";
  }

  /** Records the token of the group in a reply. */
  recordReply({ body }: ContractReply): void {
    const group = isObject(body) ? body["user_group"] : undefined;
    if (!isObject(group)) return;
    const { provided_id: rawId, token } = group;
    if ((typeof rawId !== "string" && typeof rawId !== "number") || typeof token !== "string") return;
    const providedId = String(rawId);
    const tokens = this.#tokens.get(providedId) ?? [];
    if (tokens.at(-1) !== token) this.#tokens.set(providedId, [...tokens, token]);
  }

  /** Records that a call without a reply may have created a group. */
  recordUnanswered({ method, body }: ContractRequest): void {
    const [, providedId] = /"user_group_id":"?([^",}]+)/.exec(body ?? "") ?? [];
    if (method !== "GET" || providedId === undefined || this.#tokens.has(providedId)) return;
    this.#tokens.set(providedId, []);
  }
}
