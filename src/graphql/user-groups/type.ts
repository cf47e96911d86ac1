import { GraphQLDateTime, GraphQLSafeInt } from "graphql-scalars";
import { Int, ObjectType } from "type-graphql";
import type { Environment } from "../../domain/accounts/environment.js";
import type { MappedDataSource } from "../../domain/user-groups/mapping.js";
import type { UserGroup } from "../../domain/user-groups/user-group.js";
import { createConnectionType } from "../shared/connection-type.js";
import { EnvironmentEnum } from "../shared/environment-enum.js";
import { GetterField, NodeView } from "../shared/node.js";

@ObjectType("UserGroup", {
  implements: NodeView,
  description: "A user group: one of your customers, who views embedded dashboards.",
  simpleResolvers: true,
})
export class UserGroupView extends NodeView {
  /** Internal, for the field resolvers. */
  readonly group: UserGroup;
  /** Internal: loads a mapping that several subscribers share; undefined if each request loads it separately. */
  readonly sharedMapping: (() => Promise<readonly MappedDataSource[]>) | undefined;

  constructor(group: UserGroup, sharedMapping?: () => Promise<readonly MappedDataSource[]>) {
    super("UserGroup", group.id);
    this.group = group;
    this.sharedMapping = sharedMapping;
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

export const UserGroupConnection = createConnectionType("UserGroup", UserGroupView);
