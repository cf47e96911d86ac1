import { GraphQLDateTime } from "graphql-scalars";
import { Ctx, Field, FieldResolver, InputType, Int, ObjectType, Query, Resolver, Root } from "type-graphql";
import type { Caller, Scope } from "../../domain/accounts/caller.js";
import type { Environment } from "../../domain/accounts/environment.js";
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
import { loadApiKey } from "../accounts/api-key-loaders.js";
import { ApiKeyScope, ApiKeyView } from "../accounts/api-key-types.js";
import { type FrontEndSession, type GraphqlContext, type Session, tenantOf } from "../shared/context.js";
import { EnvironmentEnum } from "../shared/environment-enum.js";
import { CallerMutation } from "../shared/mutation.js";
import { OptionalField } from "../shared/mutation-input.js";
import { nullable } from "../shared/nullable.js";
import { GraphQLJSON } from "../shared/raw-json.js";
import { parseUserGroupBy, UserGroupBy } from "../user-groups/by.js";
import { UserGroupView } from "../user-groups/type.js";

@InputType("CreateEmbedSessionInput", { description: "Input for `createEmbedSession`." })
class CreateEmbedSessionInput {
  @Field(() => UserGroupBy, { description: "The user group that the session can read." })
  readonly by!: UserGroupBy;

  @OptionalField(
    () => Int,
    `The lifetime in seconds, from ${MIN_SESSION_SECONDS} to ${MAX_SESSION_SECONDS}. Default: ${DEFAULT_SESSION_SECONDS}. The session expires with its API key at the latest.`,
  )
  readonly expiresInSeconds?: number | null;

  @OptionalField(
    () => GraphQLJSON,
    `Variables for this session, as a JSON object of at most ${MAX_VARIABLES_BYTES} bytes. The holder of the token can read them. A dashboard uses them in preference to properties of the same name.`,
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

@ObjectType("Viewer", {
  description: "The authenticated caller: an API key, a person, or a front end with a user group token.",
})
class ViewerView {
  @Field(() => String, nullable("The account's name; null for a user group token."))
  readonly accountName: string | null;

  @Field(() => EnvironmentEnum, { description: "The environment that the credentials give access to." })
  readonly environment: Environment;

  @Field(
    () => ApiKeyScope,
    nullable("The scope of the API key, or of the person's role; null for a user group token."),
  )
  readonly scope: Scope | null;

  @Field(
    () => UserGroupView,
    nullable(
      "The user group of the token, which can read its `id`, `providedId`, `name`, `properties`, `variableDefaults`, `mapping`, `version` and `updatedAt`. Null for an API key or a person, who can read every user group of the environment: use `userGroup(by:)`.",
    ),
  )
  readonly userGroup: UserGroupView | null;

  /** @param session internal, for the field resolvers */
  constructor(readonly session: Session | FrontEndSession) {
    const caller = session.kind === "caller" ? session.caller : null;
    this.accountName = caller?.accountName ?? null;
    this.scope = caller?.scope ?? null;
    this.environment = tenantOf(session).environment;
    this.userGroup = session.kind === "frontEnd" ? new UserGroupView(session.userGroup) : null;
  }
}

@Resolver(() => ViewerView)
export class ViewerResolver {
  @Query(() => ViewerView, nullable("The authenticated caller; null for a request without credentials."))
  viewer(@Ctx() { session }: GraphqlContext): ViewerView | null {
    return session && new ViewerView(session);
  }

  @FieldResolver(() => ApiKeyView, nullable("The API key; null for a person or a user group token."))
  async apiKey(@Root() { session }: ViewerView): Promise<ApiKeyView | null> {
    if (session.kind === "frontEnd" || session.caller.person) return null;
    const apiKey = await loadApiKey(session.loaders, session.caller.keyId);
    return apiKey && new ApiKeyView(apiKey);
  }

  @FieldResolver(() => Int, {
    description:
      "How many seconds a rotated user group token can still be used to read; 0 if it becomes invalid immediately.",
  })
  tokenGraceSeconds(@Ctx() { services }: GraphqlContext): number {
    return services.userGroups.tokenGraceSeconds;
  }

  @FieldResolver(() => Int, {
    description:
      "How many days the former values of a user group are kept after a change; 0 if they are not kept.",
  })
  userGroupHistoryDays(@Ctx() { services }: GraphqlContext): number {
    return services.groupHistoryDays;
  }

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
