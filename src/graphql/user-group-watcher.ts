import { DomainError, internalError } from "../domain/errors.js";
import type { Subscription } from "../services/change-feed.js";
import type { Services } from "../services/services.js";
import {
  type FrontEndSession,
  type GraphqlContext,
  requireAnySession,
  type Session,
  tenantOf,
  type Watcher,
} from "./context.js";
import { parseUserGroupBy, type UserGroupBy } from "./user-group-by.js";
import { UserGroupChangeView } from "./user-group-change-type.js";
import { loadUserGroup } from "./user-group-loading.js";

/** What a subscriber gets next: a change, or at last why there are no more. */
export type WatchEvent = UserGroupChangeView | DomainError;

/** Follows single groups for subscribers, for as long as they may see them. */
export class UserGroupWatcher implements Watcher {
  readonly #services: Pick<Services, "access" | "changes" | "keyWatch">;

  constructor(services: Pick<Services, "access" | "changes" | "keyWatch">) {
    this.#services = services;
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
    const tenant = tenantOf(session);
    const subscription = await this.#services.changes.subscribe(tenant, id);
    try {
      // A rotation between the look at the token and the subscription would be missed.
      await this.#requireToken(session, context);
    } catch (error) {
      subscription.end();
      throw error;
    }
    return leftAtOnce(this.#events(session, id, subscription, context), () => subscription.end());
  }

  async *#events(
    session: Session | FrontEndSession,
    id: number,
    subscription: Subscription,
    context: GraphqlContext,
  ): AsyncGenerator<WatchEvent, void, undefined> {
    const unwatch = session.kind === "caller" ? this.#endWithKey(session, subscription.end) : undefined;
    try {
      for await (const kind of subscription) {
        session.loaders.clear();
        await this.#requireToken(session, context);
        const group = kind === "deleted" ? null : await session.loaders.userGroupsById.load(id);
        yield group ? new UserGroupChangeView(kind, group) : new UserGroupChangeView("deleted", null);
        if (!group) return;
      }
    } catch (error) {
      yield error instanceof DomainError ? error : internalError(error);
    } finally {
      unwatch?.();
      subscription.end();
    }
  }

  #endWithKey(session: Session, end: (error: DomainError) => void): () => void {
    const ended = new DomainError("unauthenticated", "The API key was revoked or has expired.");
    return this.#services.keyWatch.watch(session.caller, () => end(ended));
  }

  async #requireToken(
    session: Session | FrontEndSession,
    { authorization, requestId }: GraphqlContext,
  ): Promise<void> {
    if (session.kind === "frontEnd") await this.#services.access.identifyAgain(authorization, requestId);
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
  throw new DomainError("user_group_not_found", "No user group has this id or token.", { field: ["by"] });
}
