import { parseCredentials } from "../../domain/authentication/authorization.js";
import { DomainError, internalError } from "../../domain/shared/errors.js";
import type { UserGroupEvent } from "../../services/user-groups/group-watch.js";
import type { Subscription } from "../../services/user-groups/subscription.js";
import type { SubscriberCredential, UserGroupWatches } from "../../services/user-groups/watches.js";
import {
  type FrontEndSession,
  type GraphqlContext,
  requireAnySession,
  type Session,
  tenantOf,
  type Watcher,
} from "../shared/context.js";
import { parseUserGroupBy, type UserGroupBy } from "./by.js";
import { UserGroupChangeView } from "./change-type.js";
import { loadUserGroup } from "./loaders.js";
import { WatchEvent } from "./watch-event.js";

/** Streams changes of a user group to a subscriber while the subscriber has access. */
export class UserGroupWatcher implements Watcher {
  readonly #watches: UserGroupWatches;

  constructor(watches: UserGroupWatches) {
    this.#watches = watches;
  }

  /**
   * Subscribes to a user group. No change committed after this resolves is missed; an error that ends the stream is its last event.
   * @param by the user group; optional for front ends, which default to the token's user group
   * @throws DomainError if the user group does not exist or the subscriber may not access it
   */
  async watch(
    by: UserGroupBy | null | undefined,
    context: GraphqlContext,
  ): Promise<AsyncIterable<WatchEvent>> {
    const session = requireAnySession(context);
    const id = await findId(session, by);
    const subscription = await this.#watches.watch(tenantOf(session), id, credentialOf(session, context));
    if (!subscription) throw notFound();
    return withPromptReturn(readEvents(session, subscription), () => subscription.end());
  }
}

function credentialOf(
  session: Session | FrontEndSession,
  { authorization }: GraphqlContext,
): SubscriberCredential {
  if (session.kind === "caller") return { kind: "apiKey", keyId: session.caller.keyId };
  return { kind: "token", token: parseCredentials(authorization).secret };
}

async function* readEvents(
  session: Session | FrontEndSession,
  subscription: Subscription<UserGroupEvent>,
): AsyncGenerator<WatchEvent, void, undefined> {
  try {
    for await (const event of subscription) {
      session.loaders.clear();
      yield new WatchEvent(new UserGroupChangeView(event), event, () => subscription.isOpen);
      if (!event.userGroup) return;
    }
  } catch (error) {
    yield new WatchEvent(error instanceof DomainError ? error : internalError(error));
  } finally {
    subscription.end();
  }
}

/**
 * Wraps a generator so that `return` ends its event source first. A generator that awaits a value cannot return before the value
 * arrives, which may never happen: disconnected clients would leak memory.
 */
function withPromptReturn<Event>(
  events: AsyncGenerator<Event, void, undefined>,
  end: () => void,
): AsyncIterableIterator<Event> {
  return {
    next: () => events.next(),
    async return() {
      end();
      await events.return();
      return { done: true, value: undefined };
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}

async function findId(
  session: Session | FrontEndSession,
  by: UserGroupBy | null | undefined,
): Promise<number> {
  if (session.kind === "frontEnd" && !by) return session.userGroup.id;
  const group = await loadUserGroup(session.loaders, parseUserGroupBy(by ?? {}));
  if (session.kind === "frontEnd" && group?.id !== session.userGroup.id) {
    throw new DomainError("forbidden", "A user group token can only read its own user group.");
  }
  if (group) return group.id;
  throw notFound();
}

function notFound(): DomainError {
  return new DomainError("user_group_not_found", "No user group has this ID or token.", { field: ["by"] });
}
