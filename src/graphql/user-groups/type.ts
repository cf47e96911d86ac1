import { GraphQLDateTime, GraphQLSafeInt } from "graphql-scalars";
import { Int, ObjectType } from "type-graphql";
import type { Environment } from "../../domain/accounts/environment.js";
import type { MappedDataSource } from "../../domain/user-groups/mapping.js";
import type { UserGroup } from "../../domain/user-groups/user-group.js";
import { createConnectionType } from "../shared/connection-type.js";
import { type GraphqlContext, requireSession } from "../shared/context.js";
import { EnvironmentEnum } from "../shared/environment-enum.js";
import { GetterField, NodeView } from "../shared/node.js";

type MappingOf = (group: UserGroup) => readonly MappedDataSource[] | Promise<readonly MappedDataSource[]>;

@ObjectType("UserGroup", {
  implements: NodeView,
  description: "A user group: one of your customers, who views embedded dashboards.",
  simpleResolvers: true,
})
export class UserGroupView extends NodeView {
  /**
   * The properties are internal, for the field resolvers.
   * @param mappingOf returns a mapping that others share, or that was loaded with the page; undefined if it is loaded separately
   */
  constructor(
    readonly group: UserGroup,
    readonly mappingOf?: MappingOf,
  ) {
    super("UserGroup", group.id);
  }

  @GetterField(() => GraphQLSafeInt, {
    description: "The user group's internal ID; `team_id` in the REST API.",
  })
  get teamId(): number {
    return this.group.id;
  }

  @GetterField(() => String, { description: "The user group's external ID, unique within its environment." })
  get providedId(): string {
    return this.group.providedId;
  }

  @GetterField(() => String, { description: "The user group's name." })
  get name(): string {
    return this.group.name;
  }

  @GetterField(() => EnvironmentEnum, { description: "The user group's environment." })
  get environment(): Environment {
    return this.group.environment;
  }

  @GetterField(() => Int, { description: "The version, which each change increments by one." })
  get version(): number {
    return this.group.version;
  }

  @GetterField(() => GraphQLDateTime, { description: "The time when the user group was created." })
  get createdAt(): Date {
    return this.group.createdAt;
  }

  @GetterField(() => GraphQLDateTime, { description: "The time when the user group last changed." })
  get updatedAt(): Date {
    return this.group.updatedAt;
  }
}

export const UserGroupConnection = createConnectionType("UserGroup", UserGroupView, viewUserGroups);

/** Loads the mappings of a page at once if the document names them: a promise for each group takes longer. */
async function viewUserGroups(groups: readonly UserGroup[], context: GraphqlContext) {
  const { fields, services } = context;
  if (groups.length === 0 || !fields?.has("mapping")) return groups.map((group) => new UserGroupView(group));
  const ids = groups.map(({ id }) => id);
  const mappingOf = await services.userGroupReader.mappings
    .load(requireSession(context).loaders.tenant, ids)
    .then(
      (mappings): MappingOf =>
        ({ id }) =>
          mappings.get(id) ?? [],
      // Reported where a mapping is selected.
      (error: unknown): MappingOf =>
        () =>
          Promise.reject(error),
    );
  return groups.map((group) => new UserGroupView(group, mappingOf));
}
