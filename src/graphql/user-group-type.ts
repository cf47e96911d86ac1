import { GraphQLDateTime, GraphQLJSON } from "graphql-scalars";
import { Field, Int, ObjectType } from "type-graphql";
import type { Environment } from "../domain/environment.js";
import type { Properties } from "../domain/properties.js";
import type { UserGroup } from "../domain/user-group.js";
import { EnvironmentEnum } from "./environment-enum.js";
import { NodeView } from "./node-type.js";

@ObjectType("UserGroup", {
  implements: NodeView,
  description: "One customer of yours: the viewer of an embedded dashboard.",
  simpleResolvers: true,
})
export class UserGroupView extends NodeView {
  @Field(() => Int, { description: "The internal id; `team_id` in the REST API." })
  readonly teamId: number;

  @Field(() => String, { description: "Your own id of the group, unique in the environment." })
  readonly providedId: string;

  @Field(() => String, { description: "The name of the group." })
  readonly name: string;

  @Field(() => EnvironmentEnum, { description: "The environment the group lives in." })
  readonly environment: Environment;

  @Field(() => GraphQLJSON, {
    nullable: true,
    description: "Free-form properties, which dashboards read as variables; null when there are none.",
  })
  readonly properties: Properties;

  @Field(() => Int, { description: "Grows by one at each change." })
  readonly version: number;

  @Field(() => GraphQLDateTime, { description: "When the group was created." })
  readonly createdAt: Date;

  @Field(() => GraphQLDateTime, { description: "When the group last changed." })
  readonly updatedAt: Date;

  /** Not a field: what the resolvers of `token` and `mapping` need. */
  readonly group: UserGroup;

  constructor(group: UserGroup) {
    super("UserGroup", group.id);
    this.teamId = group.id;
    this.providedId = group.providedId;
    this.name = group.name;
    this.environment = group.environment;
    this.properties = group.properties;
    this.version = group.version;
    this.createdAt = group.createdAt;
    this.updatedAt = group.updatedAt;
    this.group = group;
  }
}
