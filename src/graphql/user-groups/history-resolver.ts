import { GraphQLDateTime } from "graphql-scalars";
import { Args, Ctx, Field, FieldResolver, ID, Int, ObjectType, Resolver, Root } from "type-graphql";
import { requireWrite } from "../../domain/accounts/scopes.js";
import type { PageRequest } from "../../domain/shared/pagination.js";
import type { UserGroupVersion } from "../../domain/user-groups/user-group.js";
import { loadDataSource } from "../data-sources/by.js";
import { DataSourceView } from "../data-sources/type.js";
import { createConnectionType } from "../shared/connection-type.js";
import { type GraphqlContext, requireSession } from "../shared/context.js";
import { ConnectionArguments } from "../shared/list-inputs.js";
import { defineBatchLoader, defineLoader, RequestLoaders } from "../shared/loaders.js";
import { nullable } from "../shared/nullable.js";
import { GraphQLJSON, RawJson } from "../shared/raw-json.js";
import { MappingEntryView } from "./resolver.js";
import { UserGroupView } from "./type.js";

@ObjectType("UserGroupVersion", { description: "Former values of a user group. They contain no token." })
class UserGroupVersionView {
  @Field(() => Int, {
    description:
      "The last version with these values. Rotations of the token create versions with the same values.",
  })
  readonly version!: number;

  @Field(() => String, { description: "The name." })
  readonly name!: string;

  @Field(() => GraphQLDateTime, { description: "The time of the change that replaced the values." })
  readonly replacedAt!: Date;

  @Field(() => String, {
    description: "The name of the API key, person or operator that replaced the values.",
  })
  readonly replacedBy!: string;

  @Field(() => ID, nullable("The ID of the bulk change that replaced the values; null for another change."))
  readonly bulkChangeId!: string | null;

  constructor(private readonly values: UserGroupVersion) {
    const { version, name, replacedAt, replacedBy, bulkChangeId } = values;
    Object.assign(this, { version, name, replacedAt, replacedBy, bulkChangeId });
  }

  @Field(() => GraphQLJSON, nullable("The properties; null if there were none."))
  properties(@Ctx() context: GraphqlContext): RawJson | null {
    const { properties } = this.values;
    if (properties === null) return null;
    requireSession(context).loaders.budget.spendProperties(Buffer.byteLength(properties));
    return new RawJson(properties);
  }

  @Field(
    () => [MappingEntryView],
    nullable(
      "The mapping, ordered by schema ID, without entries whose data source was deleted since; null if the mapping was changed while no history was kept.",
    ),
  )
  async mapping(@Ctx() context: GraphqlContext): Promise<MappingEntryView[] | null> {
    const { mapping } = this.values;
    if (mapping === null) return null;
    const { loaders } = requireSession(context);
    loaders.budget.spend(mapping.size);
    const entries = await Promise.all(
      [...mapping].map(async ([schemaId, id]) => {
        const dataSource = await loadDataSource(loaders, { by: "id", id });
        return dataSource && { schemaId, dataSource: new DataSourceView(dataSource) };
      }),
    );
    return entries.filter((entry) => entry !== null);
  }
}

const UserGroupVersionConnection = createConnectionType("UserGroupVersion", UserGroupVersionView);

/** Pages of histories by the internal ID of a user group. */
const histories = defineLoader(
  ({ services, tenant }) =>
    new RequestLoaders((ids, page: PageRequest) => services.listing.histories(tenant, ids, page)),
);

const countHistory = defineBatchLoader(({ services, tenant }, ids: readonly number[]) =>
  services.listing.countHistories(tenant, ids),
);

@Resolver(() => UserGroupView)
export class UserGroupHistoryResolver {
  @FieldResolver(() => UserGroupVersionConnection, {
    description:
      "The user group's former values, newest first, as long as the service keeps them. Requires write scope, as restoring them does.",
  })
  history(
    @Root() { group }: UserGroupView,
    @Args(() => ConnectionArguments) page: ConnectionArguments,
    @Ctx() context: GraphqlContext,
  ) {
    const { caller, loaders } = requireSession(context);
    requireWrite(caller);
    return new UserGroupVersionConnection({
      context,
      page,
      sort: { field: "version", kind: "revision" },
      positionOf: ({ version }) => ({ value: version, id: version }),
      load: async (request) => loaders.budget.spendPage(await histories(loaders).load(group.id, request)),
      count: () => countHistory(loaders, group.id),
    });
  }
}
