import { GraphQLDateTime } from "graphql-scalars";
import { Field, FieldResolver, InputType, Int, ObjectType, Resolver, Root } from "type-graphql";
import type { Caller } from "../../domain/accounts/caller.js";
import { requireEmbedSessions } from "../../domain/accounts/scopes.js";
import {
  DEFAULT_SESSION_SECONDS,
  MAX_SESSION_SECONDS,
  MAX_VARIABLES_BYTES,
  MIN_SESSION_SECONDS,
  parseSessionLifetime,
  parseSessionVariables,
} from "../../domain/authentication/embed-session.js";
import { parseFields } from "../../domain/shared/field-parsing.js";
import type { JsonObject } from "../../domain/shared/json.js";
import type { GraphqlContext } from "../shared/context.js";
import { CallerMutation } from "../shared/mutation.js";
import { nullable } from "../shared/nullable.js";
import { GraphQLJSON } from "../shared/raw-json.js";
import { parseUserGroupBy, UserGroupBy } from "../user-groups/by.js";
import { ViewerView } from "./viewer-resolver.js";

@InputType("CreateEmbedSessionInput", { description: "Input for `createEmbedSession`." })
class CreateEmbedSessionInput {
  @Field(() => UserGroupBy, { description: "The user group that the session can read." })
  readonly by!: UserGroupBy;

  @Field(
    () => Int,
    nullable(
      `The lifetime in seconds, from ${MIN_SESSION_SECONDS} to ${MAX_SESSION_SECONDS}. Default: ${DEFAULT_SESSION_SECONDS}. The session expires with its API key at the latest.`,
    ),
  )
  readonly expiresInSeconds?: number | null;

  @Field(
    () => GraphQLJSON,
    nullable(
      `Variables for this session, as a JSON object of at most ${MAX_VARIABLES_BYTES} bytes. The holder of the token can read them. A dashboard uses them in preference to properties of the same name.`,
    ),
  )
  readonly variables?: unknown;
}

@ObjectType("EmbedSession", { description: "The embed session that a front end is authenticated with." })
class EmbedSessionView {
  @Field(() => GraphQLDateTime, { description: "The time at which the session expires." })
  readonly expiresAt!: Date;

  @Field(() => GraphQLJSON, {
    description:
      "The session's own variables, as a JSON object. They take precedence over properties of the user group with the same name.",
  })
  readonly variables!: JsonObject;
}

@Resolver(() => ViewerView)
export class EmbedSessionResolver {
  @FieldResolver(
    () => EmbedSessionView,
    nullable("The embed session of a front end; null for a user group token or an API key."),
  )
  embedSession(@Root() { session }: ViewerView): EmbedSessionView | null {
    return session.kind === "frontEnd" ? (session.embedSession ?? null) : null;
  }

  @CallerMutation(
    "Creates an embed session: a short-lived token with which a front end can read one user group. It is invalidated when the user group's token is rotated, the user group is deleted, or the API key that created it is revoked. Requires embed scope.",
    () => CreateEmbedSessionInput,
    {
      token: [
        () => String,
        nullable(
          "The embed session, a signed JWT that a front end sends as `Authorization: Bearer <token>`; null if the mutation failed.",
        ),
      ],
      expiresAt: [
        () => GraphQLDateTime,
        nullable("The time at which the session expires; null if the mutation failed."),
      ],
    },
  )
  async createEmbedSession(input: CreateEmbedSessionInput, caller: Caller, { services }: GraphqlContext) {
    const embedder = requireEmbedSessions(caller);
    const { by, expiresInSeconds, variables } = input;
    const { ref, ...request } = parseFields({
      ref: () => parseUserGroupBy(by),
      expiresInSeconds: () => parseSessionLifetime(expiresInSeconds, ["expiresInSeconds"]),
      variables: () => parseSessionVariables(variables, ["variables"]),
    });
    return services.embedSessions.create(embedder, ref, request);
  }
}
