import { GraphQLDateTime, GraphQLJSON } from "graphql-scalars";
import { Int, ObjectType } from "type-graphql";
import type { Environment } from "../domain/environment.js";
import type { Properties } from "../domain/properties.js";
import type { UserGroup } from "../domain/user-group.js";
import { EnvironmentEnum } from "./environment-enum.js";
import { GetterField } from "./getter-field.js";
import { NodeView } from "./node-type.js";

@ObjectType("UserGroup", {
  implements: NodeView,
  description: "One customer of yours: the viewer of an embedded dashboard.",
  simpleResolvers: true,
})
export class UserGroupView extends NodeView {
  /** Not a field: what the fields are read from when they are asked for. */
  readonly group: UserGroup;

  constructor(group: UserGroup) {
    super("UserGroup", group.id);
    this.group = group;
  }

  @GetterField(() => Int, { description: "The internal id; `team_id` in the REST API." })
  get teamId(): number {
    return this.group.id;
  }

  @GetterField(() => String, { description: "Your own id of the group, unique in the environment." })
  get providedId(): string {
    return this.group.providedId;
  }

  @GetterField(() => String, { description: "The name of the group." })
  get name(): string {
    return this.group.name;
  }

  @GetterField(() => EnvironmentEnum, { description: "The environment the group lives in." })
  get environment(): Environment {
    return this.group.environment;
  }

  @GetterField(() => GraphQLJSON, {
    nullable: true,
    description: "Free-form properties, which dashboards read as variables; null when there are none.",
  })
  get properties(): Properties {
    return this.group.properties;
  }

  @GetterField(() => Int, { description: "Grows by one at each change." })
  get version(): number {
    return this.group.version;
  }

  @GetterField(() => GraphQLDateTime, { description: "When the group was created." })
  get createdAt(): Date {
    return this.group.createdAt;
  }

  @GetterField(() => GraphQLDateTime, { description: "When the group last changed." })
  get updatedAt(): Date {
    return this.group.updatedAt;
  }
}
