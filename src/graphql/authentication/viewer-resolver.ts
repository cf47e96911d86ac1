import { Ctx, FieldResolver, ObjectType, Query, Resolver, Root } from "type-graphql";
import type { Environment } from "../../domain/accounts/environment.js";
import {
  type FrontEndSession,
  type GraphqlContext,
  requireSession,
  type Session,
} from "../shared/context.js";
import { EnvironmentEnum } from "../shared/environment-enum.js";
import { nullable } from "../shared/nullable.js";
import { UserGroupView } from "../user-groups/type.js";

@ObjectType("Viewer", { description: "The authenticated caller." })
class ViewerView {
  /** Internal, for the field resolvers. */
  readonly session: Session | FrontEndSession;

  constructor(session: Session | FrontEndSession) {
    this.session = session;
  }
}

@Resolver(() => ViewerView)
export class ViewerResolver {
  @Query(() => ViewerView, nullable("The authenticated caller; null for a request without credentials."))
  viewer(@Ctx() { session }: GraphqlContext): ViewerView | null {
    return session && new ViewerView(session);
  }

  @FieldResolver(() => String, { description: "The account's name." })
  accountName(@Ctx() context: GraphqlContext): string {
    return requireSession(context).caller.accountName;
  }

  @FieldResolver(() => EnvironmentEnum, { description: "The environment that the API key gives access to." })
  environment(@Ctx() context: GraphqlContext): Environment {
    return requireSession(context).caller.environment;
  }

  @FieldResolver(() => String, {
    description: "The scope of the API key: `read`, `embed`, `write` or `admin`.",
  })
  scope(@Ctx() context: GraphqlContext): string {
    return requireSession(context).caller.scope;
  }

  @FieldResolver(
    () => UserGroupView,
    nullable(
      "The user group of the token, which can read its `id`, `name`, `properties`, `mapping`, `version` and `updatedAt`; null for an API key.",
    ),
  )
  userGroup(@Root() { session }: ViewerView): UserGroupView | null {
    return session.kind === "frontEnd" ? new UserGroupView(session.userGroup) : null;
  }
}
