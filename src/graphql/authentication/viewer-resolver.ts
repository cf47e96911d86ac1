import { Ctx, Field, FieldResolver, Int, ObjectType, Query, Resolver, Root } from "type-graphql";
import type { Environment } from "../../domain/accounts/environment.js";
import { apiKeysById } from "../accounts/api-key-loaders.js";
import { ApiKeyView } from "../accounts/api-key-types.js";
import { type FrontEndSession, type GraphqlContext, type Session, tenantOf } from "../shared/context.js";
import { EnvironmentEnum } from "../shared/environment-enum.js";
import { nullable } from "../shared/nullable.js";
import { UserGroupView } from "../user-groups/type.js";

@ObjectType("Viewer", {
  description: "The authenticated caller: an API key, or a front end with a user group token.",
})
export class ViewerView {
  /** Internal, for the field resolvers. */
  readonly session: Session | FrontEndSession;

  @Field(() => String, nullable("The account's name; null for a user group token."))
  readonly accountName: string | null;

  @Field(() => EnvironmentEnum, { description: "The environment that the credentials give access to." })
  readonly environment: Environment;

  @Field(
    () => UserGroupView,
    nullable(
      "The user group of the token, which can read its `id`, `providedId`, `name`, `properties`, `mapping`, `version` and `updatedAt`; null for an API key.",
    ),
  )
  readonly userGroup: UserGroupView | null;

  constructor(session: Session | FrontEndSession) {
    this.session = session;
    this.accountName = session.kind === "caller" ? session.caller.accountName : null;
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

  @FieldResolver(() => ApiKeyView, nullable("The API key; null for a user group token."))
  async apiKey(@Root() { session }: ViewerView): Promise<ApiKeyView | null> {
    if (session.kind === "frontEnd") return null;
    const apiKey = await apiKeysById(session.loaders).load(session.caller.keyId);
    return apiKey && new ApiKeyView(apiKey);
  }

  @FieldResolver(() => Int, {
    description:
      "How many seconds a rotated user group token can still be used to read; 0 if it becomes invalid immediately.",
  })
  tokenGraceSeconds(@Ctx() { services }: GraphqlContext): number {
    return services.userGroups.tokenGraceSeconds;
  }
}
