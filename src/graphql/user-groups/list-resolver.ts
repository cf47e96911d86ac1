import { Arg, Args, Ctx, Query, Resolver } from "type-graphql";
import type { UserGroupSort } from "../../domain/user-groups/list.js";
import { ConnectionArguments } from "../shared/connection-arguments.js";
import { sourceOf } from "../shared/connection-type.js";
import { type GraphqlContext, requireSession } from "../shared/context.js";
import { nullable } from "../shared/nullable.js";
import { parseUserGroupFilter, UserGroupFilterInput, UserGroupOrder } from "./list-inputs.js";
import { UserGroupConnection } from "./type.js";

@Resolver()
export class UserGroupListResolver {
  @Query(() => UserGroupConnection, { description: "The environment's user groups." })
  userGroups(
    @Args(() => ConnectionArguments) page: ConnectionArguments,
    @Arg("filter", () => UserGroupFilterInput, nullable("Filters the user groups."))
    filterInput: UserGroupFilterInput | null | undefined,
    @Arg(
      "orderBy",
      () => UserGroupOrder,
      nullable("The order of the user groups. Defaults to `TEAM_ID`, ascending."),
    )
    orderBy: UserGroupSort | null | undefined,
    @Ctx() context: GraphqlContext,
  ) {
    const { caller } = requireSession(context);
    const filter = parseUserGroupFilter(filterInput);
    return new UserGroupConnection(sourceOf(context.services.listing, caller, page, { filter, orderBy }));
  }
}
