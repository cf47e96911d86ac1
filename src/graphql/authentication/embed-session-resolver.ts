import { Ctx, FieldResolver, Mutation, Resolver, Root } from "type-graphql";
import { requireEmbedSessions } from "../../domain/accounts/scopes.js";
import {
  type EmbedSessionRequest,
  parseSessionLifetime,
  parseSessionVariables,
} from "../../domain/authentication/embed-session.js";
import { parseFields } from "../../domain/shared/field-parsing.js";
import type { UserGroupRef } from "../../domain/user-groups/user-group.js";
import type { GraphqlContext } from "../shared/context.js";
import { mutateIfAllowed } from "../shared/mutation.js";
import { nullable } from "../shared/nullable.js";
import { Input } from "../shared/payload.js";
import { parseUserGroupBy } from "../user-groups/by.js";
import {
  CreateEmbedSessionInput,
  CreateEmbedSessionPayload,
  EmbedSessionView,
} from "./embed-session-types.js";
import { ViewerView } from "./viewer-resolver.js";

@Resolver(() => ViewerView)
export class EmbedSessionResolver {
  @FieldResolver(
    () => EmbedSessionView,
    nullable("The embed session of a front end; null for a user group token or an API key."),
  )
  embedSession(@Root() { session }: ViewerView): EmbedSessionView | null {
    if (session.kind !== "frontEnd" || !session.embedSession) return null;
    return new EmbedSessionView(session.embedSession);
  }

  @Mutation(() => CreateEmbedSessionPayload, {
    description:
      "Creates an embed session: a short-lived token with which a front end can read one user group. It is invalidated when the user group's token is rotated, the user group is deleted, or the API key that created it is revoked. Requires embed scope.",
  })
  async createEmbedSession(
    @Input(() => CreateEmbedSessionInput) input: CreateEmbedSessionInput,
    @Ctx() context: GraphqlContext,
  ): Promise<object> {
    return mutateIfAllowed(context, CreateEmbedSessionPayload, async (caller, { embedSessions }) => {
      const embedder = requireEmbedSessions(caller);
      const { ref, ...request } = parseInput(input);
      return embedSessions.create(embedder, ref, request);
    });
  }
}

/** @throws DomainError `invalid_field` */
function parseInput({ by, expiresInSeconds, variables }: CreateEmbedSessionInput) {
  return parseFields<{ readonly ref: UserGroupRef } & EmbedSessionRequest>({
    ref: () => parseUserGroupBy(by),
    expiresInSeconds: () => parseSessionLifetime(expiresInSeconds, ["expiresInSeconds"]),
    variables: () => parseSessionVariables(variables, ["variables"]),
  });
}
