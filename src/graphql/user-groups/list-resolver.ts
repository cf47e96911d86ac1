import { Arg, Args, Ctx, Query, Resolver } from "type-graphql";
import { sortValueOf, USER_GROUP_SORT_KINDS, type UserGroupSort } from "../../domain/user-groups/list.js";
import type { UserGroup } from "../../domain/user-groups/user-group.js";
import { ConnectionArguments } from "../shared/connection-arguments.js";
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
    const order: UserGroupSort = orderBy ?? { field: "teamId", direction: "ascending" };
    const { field } = order;
    const filter = parseUserGroupFilter(filterInput);
    return new UserGroupConnection({
      page,
      sort: { field, kind: USER_GROUP_SORT_KINDS[field] },
      positionOf: (group: UserGroup) => ({ value: sortValueOf(group, field), id: group.id }),
      load: (request) => context.services.listing.userGroups(caller, filter, order, request),
      count: () => context.services.listing.countUserGroups(caller, filter),
    });
  }
}
