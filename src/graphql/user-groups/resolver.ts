import { Arg, Ctx, Field, FieldResolver, ObjectType, Query, Resolver, Root } from "type-graphql";
import { hasScope } from "../../domain/accounts/caller.js";
import type { MappedDataSource } from "../../domain/user-groups/mapping.js";
import { DataSourceView } from "../data-sources/type.js";
import { type GraphqlContext, requireAnySession, requireSession } from "../shared/context.js";
import type { Loaders } from "../shared/loaders.js";
import { nullable } from "../shared/nullable.js";
import { GraphQLJSON, RawJson } from "../shared/raw-json.js";
import { UserErrorView } from "../shared/user-error-type.js";
import { loadUserGroup, parseUserGroupBy, UserGroupBy } from "./by.js";
import { UserGroupView } from "./type.js";

@ObjectType("MappingEntry", {
  description: "An entry of a user group's mapping.",
  simpleResolvers: true,
})
export class MappingEntryView {
  @Field(() => String, { description: "The schema ID." })
  readonly schemaId!: string;

  @Field(() => DataSourceView, { description: "The data source that the schema is mapped to." })
  readonly dataSource!: DataSourceView;
}

@Resolver(() => UserGroupView)
export class UserGroupResolver {
  @Query(() => UserGroupView, nullable("A user group; null if it does not exist."))
  async userGroup(
    @Arg("by", () => UserGroupBy, { description: "Identifies the user group." }) by: UserGroupBy,
    @Ctx() context: GraphqlContext,
  ): Promise<UserGroupView | null> {
    const { loaders } = requireSession(context);
    const group = await loadUserGroup(loaders, parseUserGroupBy(by));
    return group && new UserGroupView(group);
  }

  @FieldResolver(
    () => String,
    nullable("The token for embedding dashboards; null, without an error, if the API key lacks embed scope."),
  )
  token(@Root() { group }: UserGroupView, @Ctx() context: GraphqlContext): string | null {
    const { caller } = requireSession(context);
    return hasScope(caller.scope, "embed") ? context.services.userGroupReader.tokenOf(group) : null;
  }

  @FieldResolver(
    () => GraphQLJSON,
    nullable(
      "Free-form properties, available to dashboards as variables; null if there are none. Replies and server-sent events contain the stored JSON text. Values that are written through GraphQL or sent over a WebSocket are parsed as in JavaScript: integer-like keys come first, and numbers that a 64-bit float does not keep are refused. A write that equals the stored properties as JSON values leaves the stored text unchanged.",
    ),
  )
  properties(@Root() { group }: UserGroupView, @Ctx() context: GraphqlContext): RawJson | null {
    return viewJson(group.properties, requireAnySession(context).loaders);
  }

  @FieldResolver(
    () => GraphQLJSON,
    nullable(
      "The values of dashboards' variables for properties that the user group lacks: an object with the `default` of each top-level property in the schema for properties, whether the user group has it or not; null if there are none, or while the schema is `OFF`. Properties take precedence, and over them the variables of an embed session.",
    ),
  )
  async variableDefaults(@Ctx() context: GraphqlContext): Promise<RawJson | null> {
    const { loaders } = requireAnySession(context);
    const { defaults } = await context.services.propertySchemas.find(loaders.tenant);
    return viewJson(defaults, loaders);
  }

  @FieldResolver(() => [UserErrorView], {
    description:
      "Why the properties violate the schema for properties, at most 10 errors; none while the schema is `OFF`. `field` is the path within the properties.",
  })
  async propertyErrors(@Root() { group }: UserGroupView, @Ctx() context: GraphqlContext) {
    const { loaders } = requireSession(context);
    loaders.budget.spendProperties(Buffer.byteLength(group.properties ?? ""));
    const { propertySchemas } = context.services;
    return UserErrorView.ofFields(await propertySchemas.errorsOf(loaders.tenant, group.properties));
  }

  @FieldResolver(() => [MappingEntryView], {
    description: "The mapping of schemas to data sources, ordered by schema ID.",
  })
  mapping(@Root() { group, mappingOf }: UserGroupView, @Ctx() context: GraphqlContext) {
    const { loaders } = requireAnySession(context);
    const { userGroupReader } = context.services;
    const mapping = mappingOf?.(group) ?? userGroupReader.mappingOf(loaders.tenant, group.id);
    if (mapping instanceof Promise) return mapping.then((entries) => viewMapping(entries, loaders));
    return viewMapping(mapping, loaders);
  }
}

function viewJson(text: string | null, { budget }: Loaders): RawJson | null {
  if (text === null) return null;
  budget.spendProperties(Buffer.byteLength(text));
  return new RawJson(text);
}

function viewMapping(entries: readonly MappedDataSource[], { budget }: Loaders): MappingEntryView[] {
  budget.spend(entries.length);
  return entries.map(({ schemaId, dataSource }) => {
    budget.spendReplyBytes(schemaId.length + dataSource.providedId.length + dataSource.name.length);
    return { schemaId, dataSource: new DataSourceView(dataSource) };
  });
}
