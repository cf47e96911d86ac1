import { Args, ArgsType, Ctx, Field, FieldResolver, InputType, Query, Resolver, Root } from "type-graphql";
import { parseText } from "../../domain/shared/text-field.js";
import { USER_GROUP_ORDER, type UserGroupFilter } from "../../domain/user-groups/list.js";
import { parsePropertiesFilter } from "../../domain/user-groups/properties.js";
import {
  countUserGroupsOfDataSource,
  DataSourceBy,
  parseDataSourceBy,
  userGroupsOfDataSources,
} from "../data-sources/by.js";
import { DataSourceView } from "../data-sources/type.js";
import { positionById, sourceOf } from "../shared/connection-type.js";
import { type GraphqlContext, requireSession } from "../shared/context.js";
import {
  ConnectionArguments,
  createListArguments,
  createOrderInput,
  DateTimeRangeInput,
  NamedItemFilter,
  parseNamedItemFilter,
  parseTimeRange,
} from "../shared/list-inputs.js";
import { nullable } from "../shared/nullable.js";
import { GraphQLJSON } from "../shared/raw-json.js";
import { UserGroupConnection } from "./type.js";

@InputType("UserGroupFilter", { description: "Filters user groups, which must meet all conditions." })
export class UserGroupFilterInput extends NamedItemFilter {
  @Field(
    () => String,
    nullable(
      "User groups whose name or external ID contains each word of this text, in any order, ignoring case and accents.",
    ),
  )
  readonly search?: string | null;

  @Field(() => String, nullable("User groups whose name starts with this text, ignoring case."))
  readonly nameStartsWith?: string | null;

  @Field(() => String, nullable("User groups whose external ID starts with this text, case-sensitive."))
  readonly providedIdStartsWith?: string | null;

  @Field(
    () => DataSourceBy,
    nullable(
      "User groups mapped to this data source or, combined with `schemaId`, those that map this schema to it.",
    ),
  )
  readonly dataSource?: DataSourceBy | null;

  @Field(() => String, nullable("User groups whose mapping contains this schema."))
  readonly schemaId?: string | null;

  @Field(() => Boolean, nullable("User groups whose mapping has entries, or with `false` has none."))
  readonly hasMapping?: boolean | null;

  @Field(() => DateTimeRangeInput, nullable("User groups created in this time range."))
  readonly createdAt?: DateTimeRangeInput | null;

  @Field(() => DateTimeRangeInput, nullable("User groups last changed in this time range."))
  readonly updatedAt?: DateTimeRangeInput | null;

  @Field(
    () => GraphQLJSON,
    nullable(
      'User groups whose properties contain this JSON object, with the same values at the same paths. A string is the JSON text of the object, in which numbers may have any size: `"{\\"tenant\\": 809191427645181212}"`.',
    ),
  )
  readonly properties?: unknown;
}

@ArgsType()
class UserGroupArguments extends createListArguments(
  "user groups",
  UserGroupFilterInput,
  createOrderInput("UserGroupOrder", "user groups", USER_GROUP_ORDER),
) {}

@Resolver()
export class UserGroupListResolver {
  @Query(() => UserGroupConnection, { description: "The environment's user groups." })
  userGroups(@Args(() => UserGroupArguments) list: UserGroupArguments, @Ctx() context: GraphqlContext) {
    const filter = parseUserGroupFilter(list.filter);
    return new UserGroupConnection(sourceOf(context.services.listing, context, list, filter));
  }
}

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
      context,
      page,
      sort: { field: "teamId", kind: "id" },
      positionOf: positionById,
      load: async (request) =>
        loaders.budget.spendPage(await userGroupsOfDataSources(loaders).load(dataSourceId, request)),
      count: () => countUserGroupsOfDataSource(loaders, dataSourceId),
    });
  }
}

/** Parses a filter; null or absent conditions are omitted. @throws DomainError `invalid_field` */
export function parseUserGroupFilter(filter: UserGroupFilterInput | null | undefined): UserGroupFilter {
  if (!filter) return {};
  const {
    search,
    nameStartsWith,
    providedIdStartsWith,
    dataSource,
    schemaId,
    hasMapping,
    createdAt,
    updatedAt,
  } = filter;
  const properties = parsePropertiesFilter(filter.properties ?? null, ["filter", "properties"]);
  const text = (value: string, name: string) => parseText(value, ["filter", name]);
  return {
    ...parseNamedItemFilter(filter),
    ...(search ? { search: text(search, "search") } : {}),
    ...(nameStartsWith ? { nameStartsWith: text(nameStartsWith, "nameStartsWith") } : {}),
    ...(providedIdStartsWith
      ? { providedIdStartsWith: text(providedIdStartsWith, "providedIdStartsWith") }
      : {}),
    ...(dataSource ? { dataSource: parseDataSourceBy(dataSource, ["filter", "dataSource"]) } : {}),
    ...(typeof schemaId === "string" ? { schemaId: text(schemaId, "schemaId") } : {}),
    ...(typeof hasMapping === "boolean" ? { hasMapping } : {}),
    ...(createdAt ? { createdAt: parseTimeRange(createdAt, "createdAt") } : {}),
    ...(updatedAt ? { updatedAt: parseTimeRange(updatedAt, "updatedAt") } : {}),
    ...(properties ? { properties } : {}),
  };
}
