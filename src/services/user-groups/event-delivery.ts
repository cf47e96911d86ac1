import { setImmediate } from "node:timers/promises";
import { DomainError, internalError } from "../../domain/shared/errors.js";
import type { UserGroupChange } from "../../domain/user-groups/change.js";
import type { MappedDataSource } from "../../domain/user-groups/mapping.js";
import type { Subscription, UserGroupEvent } from "./subscription.js";
import {
  expiryOf,
  invalidCredentialError,
  type WatchCredential,
  type WatchState,
} from "./watch-credential.js";

/** Number of subscribers notified before yielding to the event loop. */
const SUBSCRIBERS_PER_TURN = 10;

export interface Subscriber {
  readonly credential: WatchCredential;
  readonly subscription: Subscription;
}

/** Creates the event of a change. */
export function createEvent(
  { id, kind }: Pick<UserGroupChange, "id" | "kind">,
  { group }: WatchState,
  loadMapping: (id: number) => Promise<readonly MappedDataSource[]>,
): UserGroupEvent {
  let mapping: Promise<readonly MappedDataSource[]> | undefined;
  return {
    id,
    kind: group ? kind : "deleted",
    userGroup: group?.userGroup ?? null,
    mapping: () => {
      mapping ??= loadMapping(id);
      return mapping;
    },
  };
}

/** Delivers an event to the subscribers whose credentials are valid, and ends the subscriptions of the others. */
export async function deliverEvent(
  event: UserGroupEvent,
  state: WatchState,
  subscribers: readonly Subscriber[],
): Promise<void> {
  for (const [index, { credential, subscription }] of subscribers.entries()) {
    if (index % SUBSCRIBERS_PER_TURN === SUBSCRIBERS_PER_TURN - 1) await setImmediate();
    const expiresAt = expiryOf(credential, state);
    if (expiresAt === undefined) {
      subscription.end(invalidCredentialError(credential));
    } else {
      subscription.expireAt(expiresAt, invalidCredentialError(credential));
      subscription.push(event);
    }
  }
}

/** Ends the subscriptions because a change could not be loaded. */
export function endAll(subscribers: Iterable<Subscriber>, error: unknown): void {
  const reason = error instanceof DomainError ? error : internalError(error);
  for (const { subscription } of [...subscribers]) subscription.end(reason);
}
