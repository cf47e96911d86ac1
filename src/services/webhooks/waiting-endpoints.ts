import { getOrCreate } from "../../domain/shared/get-or-create.js";
import type { ClaimedDelivery } from "../../domain/webhooks/webhook.js";
import type { DueEndpoint, DuePosition, DueSearch, NextSearch } from "../../persistence/webhooks/outbox.js";
import type { AttemptReport } from "./attempts.js";

/** An endpoint that may have deliveries to claim. */
export class WaitingEndpoint {
  /** Where the search for deliveries of all subjects continues; null when it has found those that were due. */
  #searchFrom: DuePosition | null = null;
  /** The last delivery of each subject whose attempt has ended: the subject's next one may be due. */
  readonly #former = new Map<string, DuePosition>();

  /** @param endpoint as the last poll or attempt has found it */
  constructor(public endpoint: DueEndpoint) {}

  /** Whether to search all subjects. This goes before the next deliveries of single subjects, because it is in the order of their due times. */
  get isSearched(): boolean {
    return this.#searchFrom !== null;
  }

  /** Maximum number of deliveries that a claim may find. */
  get maxSlots(): number {
    return this.isSearched ? Number.POSITIVE_INFINITY : this.#former.size;
  }

  takeSearch(slots: number): DueSearch {
    const search = { endpoint: { ...this.endpoint, ...this.#searchFrom }, slots };
    this.#searchFrom = null;
    return search;
  }

  takeNext(slots: number): NextSearch[] {
    const { endpointId } = this.endpoint;
    const taken = [...this.#former].slice(0, slots);
    for (const [subject] of taken) this.#former.delete(subject);
    return taken.map(([subject, former]) => ({ endpointId, subject, former }));
  }

  /** Searches all subjects from this position, unless already from an earlier one. */
  searchFrom({ dueAt, id }: DuePosition): void {
    const from = this.#searchFrom;
    if (!from || isBefore({ dueAt, id }, from)) this.#searchFrom = { dueAt, id };
  }

  /** After a search of all subjects. Without a delivery for each slot, it has found the last one. */
  searched(claims: readonly ClaimedDelivery[], slots: number): void {
    const last = claims.toSorted((a, b) => (isBefore(a, b) ? -1 : 1)).at(-1);
    if (last && claims.length === slots) this.searchFrom(last);
  }

  /** An attempt has begun: the subject's next delivery waits for its end. */
  attemptBegun({ subject }: ClaimedDelivery): void {
    this.#former.delete(subject);
  }

  attemptEnded({ subject, dueAt, id }: ClaimedDelivery, hasAnswered: boolean): void {
    this.endpoint = { ...this.endpoint, hasAnswered, isProbed: false };
    this.#former.set(subject, { dueAt, id });
  }
}

/** The endpoints that may have deliveries to claim, as far as the last poll and the attempts since have shown. */
export class WaitingEndpoints {
  readonly #byId = new Map<number, WaitingEndpoint>();

  [Symbol.iterator](): Iterator<WaitingEndpoint> {
    return this.#byId.values();
  }

  /** Replaces all endpoints by those that a poll has found. */
  replace(found: readonly DueEndpoint[]): void {
    this.#byId.clear();
    for (const endpoint of found) this.#get(endpoint).searchFrom(endpoint);
  }

  /** Moves an endpoint behind the others, whose turn is next. */
  moveToEnd(waiting: WaitingEndpoint): void {
    this.remove(waiting.endpoint);
    this.#byId.set(waiting.endpoint.endpointId, waiting);
  }

  /** Removes an endpoint until an attempt ends or the next poll. */
  remove({ endpointId }: DueEndpoint): void {
    this.#byId.delete(endpointId);
  }

  attemptEnded(
    endpoint: DueEndpoint,
    claim: ClaimedDelivery,
    { hasAnswered, isPaused }: AttemptReport,
  ): void {
    if (isPaused) this.remove(endpoint);
    else this.#get(endpoint).attemptEnded(claim, hasAnswered);
  }

  #get(endpoint: DueEndpoint): WaitingEndpoint {
    return getOrCreate(this.#byId, endpoint.endpointId, () => new WaitingEndpoint(endpoint));
  }
}

function isBefore(a: DuePosition, b: DuePosition): boolean {
  return (
    a.dueAt.getTime() - b.dueAt.getTime() < 0 || (a.dueAt.getTime() === b.dueAt.getTime() && a.id < b.id)
  );
}
