import { Arg, Ctx, FieldResolver, Query, Resolver, Root } from "type-graphql";
import { showsTokens } from "../services/access.js";
import type { UserGroupReader } from "../services/user-group-reader.js";
import { type GraphqlContext, requireAnySession, requireSession } from "./context.js";
import { MappingEntryView } from "./mapping-entry-type.js";
import { parseUserGroupBy, UserGroupBy } from "./user-group-by.js";
import { loadUserGroup } from "./user-group-loading.js";
import { UserGroupView } from "./user-group-type.js";

@Resolver(() => UserGroupView)
export class UserGroupResolver {
  readonly #reader: UserGroupReader;

  constructor(reader: UserGroupReader) {
    this.#reader = reader;
  }

  @Query(() => UserGroupView, { nullable: true, description: "One user group; null when there is none." })
  async userGroup(
    @Arg("by", () => UserGroupBy, { description: "Names the group." }) by: UserGroupBy,
    @Ctx() context: GraphqlContext,
  ): Promise<UserGroupView | null> {
    const { loaders } = requireSession(context);
    const group = await loadUserGroup(loaders, parseUserGroupBy(by));
    return group && new UserGroupView(group);
  }

  @FieldResolver(() => String, {
    nullable: true,
    description: "The token that embeds dashboards; null, with no error, for an API key with read scope.",
  })
  token(@Root() { group }: UserGroupView, @Ctx() context: GraphqlContext): string | null {
    const { caller } = requireSession(context);
    return showsTokens(caller.scope) ? this.#reader.tokenOf(group) : null;
  }

  @FieldResolver(() => [MappingEntryView], {
    description: "Which data source each schema leads to, ordered by schema id.",
  })
  async mapping(
    @Root() { group }: UserGroupView,
    @Ctx() context: GraphqlContext,
  ): Promise<MappingEntryView[]> {
    const { loaders } = requireAnySession(context);
    const entries = await loaders.mappings.load(group.id);
    loaders.budget.spend(entries.length);
    return entries.map((entry) => new MappingEntryView(entry));
  }
}
