import { parseCredentials } from "../../domain/authentication/authorization.js";
import { DomainError } from "../../domain/shared/errors.js";
import type { UserGroup, UserGroupRef } from "../../domain/user-groups/user-group.js";
import { userGroupNotFound } from "../../services/user-groups/reader.js";
import type { Subscription } from "../../services/user-groups/subscription.js";
import type { SubscriberCredential } from "../../services/user-groups/watch-credentials.js";
import type { UserGroupWatches } from "../../services/user-groups/watches.js";
import {
  type FrontEndSession,
  type GraphqlContext,
  requireAnySession,
  type Session,
  tenantOf,
  type Watcher,
} from "../shared/context.js";
import { loadUserGroup, parseUserGroupBy, type UserGroupBy } from "./by.js";

/** Streams changes of user groups to a subscriber while the subscriber has access. */
export class UserGroupWatcher implements Watcher {
  constructor(private readonly watches: UserGroupWatches) {}

  /**
   * Subscribes to user groups. No change committed after this resolves is missed.
   * @param by the user group; defaults to that of the token for front ends, and to all groups of the environment for API keys
   * @throws DomainError if the user group does not exist or the subscriber may not access it
   */
  async watch(by: UserGroupBy | null | undefined, context: GraphqlContext): Promise<Subscription> {
    const session = requireAnySession(context);
    const defaultId = session.kind === "frontEnd" ? session.userGroup.id : null;
    const id = by ? await findId(session, by) : defaultId;
    const subscription = await this.watches.watch(tenantOf(session), id, credentialOf(session, context));
    if (!subscription) throw userGroupNotFound("id", ["by"]);
    return subscription;
  }
}

function credentialOf(
  session: Session | FrontEndSession,
  { authorization }: GraphqlContext,
): SubscriberCredential {
  if (session.kind === "caller") {
    const { keyId, person, session: inConsole } = session.caller;
    if (!person) return { kind: "apiKey", keyId, session: inConsole };
    return { kind: "person", expiresAt: person.validUntil, session: inConsole };
  }
  const { embedSession } = session;
  if (embedSession) return { kind: "embedSession", ...embedSession };
  return { kind: "token", token: parseCredentials(authorization, "graphql").secret };
}

async function findId(session: Session | FrontEndSession, by: UserGroupBy): Promise<number> {
  const ref = parseUserGroupBy(by);
  // Every open page names its own group, which has just been loaded.
  if (session.kind === "frontEnd" && isNamedBy(session.userGroup, ref)) return session.userGroup.id;
  const group = await loadUserGroup(session.loaders, ref);
  if (session.kind === "frontEnd" && group?.id !== session.userGroup.id) {
    throw new DomainError("forbidden", "A user group token can only read its own user group.");
  }
  if (group) return group.id;
  throw userGroupNotFound(ref.by, ["by"]);
}

function isNamedBy({ id, providedId }: UserGroup, ref: UserGroupRef): boolean {
  return (ref.by === "id" && ref.id === id) || (ref.by === "providedId" && ref.providedId === providedId);
}
