import { Args, Ctx, FieldResolver, Resolver, Root } from "type-graphql";
import { userGroupCountsOfDataSources, userGroupsOfDataSources } from "../data-sources/loaders.js";
import { DataSourceView } from "../data-sources/type.js";
import { ConnectionArguments } from "../shared/connection-arguments.js";
import { positionById } from "../shared/connection-type.js";
import { type GraphqlContext, requireSession } from "../shared/context.js";
import { UserGroupConnection } from "./type.js";

@Resolver(() => DataSourceView)
export class DataSourceUserGroupsResolver {
  @FieldResolver(() => UserGroupConnection, {
    description: "The user groups mapped to the data source, ordered by internal ID.",
  })
  userGroups(
    @Root() { dataSourceId }: DataSourceView,
    @Args(() => ConnectionArguments) page: ConnectionArguments,
    @Ctx() context: GraphqlContext,
  ) {
    const { loaders } = requireSession(context);
    return new UserGroupConnection({
      page,
      sort: { field: "teamId", kind: "id" },
      positionOf: positionById,
      load: async (request) => {
        const found = await userGroupsOfDataSources(loaders).load(dataSourceId, request);
        loaders.budget.spend(found.items.length);
        return found;
      },
      count: () => userGroupCountsOfDataSources(loaders).load(dataSourceId),
    });
  }
}
