import { readCredentials } from "../../domain/authentication/authorization.js";
import { DomainError, internalError } from "../../domain/shared/errors.js";
import type { UserGroupEvent } from "../../services/user-groups/group-watch.js";
import type { Subscription } from "../../services/user-groups/subscription.js";
import type { UserGroupWatches, Watching } from "../../services/user-groups/watches.js";
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

/** Follows single groups for subscribers, for as long as they may see them. */
export class UserGroupWatcher implements Watcher {
  readonly #watches: UserGroupWatches;

  constructor(watches: UserGroupWatches) {
    this.#watches = watches;
  }

  /**
   * Follows one group: no change that is committed after this resolves is missed. What ends the stream is its last event.
   * @param by names the group; needed but for a front end, whose own group it is
   * @throws DomainError when there is no such group, or it is not the subscriber's to see
   */
  async watch(
    by: UserGroupBy | null | undefined,
    context: GraphqlContext,
  ): Promise<AsyncIterable<WatchEvent>> {
    const session = requireAnySession(context);
    const id = await findId(session, by);
    const subscription = await this.#watches.watch(tenantOf(session), id, watchingOf(session, context));
    if (!subscription) throw notFound();
    return leftAtOnce(readEvents(session, subscription), () => subscription.end());
  }
}

function watchingOf(session: Session | FrontEndSession, { authorization }: GraphqlContext): Watching {
  if (session.kind === "caller") return { kind: "apiKey", keyId: session.caller.keyId };
  return { kind: "token", token: readCredentials(authorization).secret };
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
 * A generator that waits for a value does not return before that comes, which may be never: whoever leaves ends what it waits for.
 * Otherwise the service would keep what a client held that has long gone.
 */
function leftAtOnce<Event>(
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
    throw new DomainError("forbidden", "A user group token reads its own group only.");
  }
  if (group) return group.id;
  throw notFound();
}

function notFound(): DomainError {
  return new DomainError("user_group_not_found", "No user group has this id or token.", { field: ["by"] });
}
