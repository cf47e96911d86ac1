import { GraphQLDateTime } from "graphql-scalars";
import { Int, ObjectType } from "type-graphql";
import type { Environment } from "../../domain/accounts/environment.js";
import type { JsonObject } from "../../domain/shared/json.js";
import type { MappedDataSource } from "../../domain/user-groups/mapping.js";
import type { UserGroup } from "../../domain/user-groups/user-group.js";
import { createConnectionType } from "../shared/connection-type.js";
import { EnvironmentEnum } from "../shared/environment-enum.js";
import { GetterField } from "../shared/getter-field.js";
import { NodeView } from "../shared/node-type.js";

/** Parsed once for all aliases, and all requests that one statement has answered: each time they take as much memory as their text. */
const parsedProperties = new WeakMap<UserGroup, JsonObject>();

function propertiesOf(group: UserGroup): JsonObject | null {
  const known = parsedProperties.get(group);
  if (known !== undefined) return known;
  if (group.properties === null) return null;
  const properties: JsonObject = JSON.parse(group.properties);
  parsedProperties.set(group, properties);
  return properties;
}

@ObjectType("UserGroup", {
  implements: NodeView,
  description: "One customer of yours: the viewer of an embedded dashboard.",
  simpleResolvers: true,
})
export class UserGroupView extends NodeView {
  /** Not a field: what the fields are read from when they are asked for. */
  readonly group: UserGroup;
  /** Not a field: loads the mapping where that is shared with others; undefined where each request loads it for itself. */
  readonly sharedMapping: (() => Promise<readonly MappedDataSource[]>) | undefined;

  constructor(group: UserGroup, sharedMapping?: () => Promise<readonly MappedDataSource[]>) {
    super("UserGroup", group.id);
    this.group = group;
    this.sharedMapping = sharedMapping;
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

  /** The properties, parsed; not a field of its own. */
  get parsedProperties(): JsonObject | null {
    return propertiesOf(this.group);
  }

  /** The bytes of the properties as JSON text. */
  get propertiesSize(): number {
    const { properties } = this.group;
    return properties === null ? 0 : Buffer.byteLength(properties);
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

export const UserGroupConnection = createConnectionType(
  "UserGroup",
  UserGroupView,
  (group: UserGroup) => new UserGroupView(group),
);
