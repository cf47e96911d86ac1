import { GraphQLDateTime } from "graphql-scalars";
import { Field, ObjectType } from "type-graphql";
import type { ApiKey } from "../../domain/accounts/api-key.js";
import type { Scope } from "../../domain/accounts/caller.js";
import type { Environment } from "../../domain/accounts/environment.js";
import { createConnectionType } from "../shared/connection-type.js";
import { createEnum } from "../shared/create-enum.js";
import { EnvironmentEnum } from "../shared/environment-enum.js";
import { NodeView } from "../shared/node.js";
import { nullable } from "../shared/nullable.js";

export const ApiKeyScope = createEnum<Scope>(
  "ApiKeyScope",
  "The scope of an API key, from `READ` to `EMBED`, `WRITE` and `ADMIN`. Each scope includes the previous ones.",
  {
    READ: ["read", "Read user groups without their tokens, data sources and site configurations."],
    EMBED: ["embed", "Read user group tokens, as required by servers that embed dashboards."],
    WRITE: [
      "write",
      "Create, update and delete user groups, mappings, data sources and site configurations.",
    ],
    ADMIN: ["admin", "Manage API keys and webhooks, and read the audit log."],
  },
);

@ObjectType("ApiKey", {
  implements: NodeView,
  description: "An API key. Its secret is returned only on creation.",
})
export class ApiKeyView extends NodeView {
  @Field(() => String, { description: "A name that describes the purpose of the key." })
  readonly name!: string;

  @Field(() => String, { description: "The first and last characters of the secret, to distinguish keys." })
  readonly hint!: string;

  @Field(() => EnvironmentEnum, { description: "The environment that the key gives access to." })
  readonly environment!: Environment;

  @Field(() => ApiKeyScope, { description: "The scope of the key." })
  readonly scope!: Scope;

  @Field(() => GraphQLDateTime, { description: "The time when the key was created." })
  readonly createdAt!: Date;

  @Field(() => GraphQLDateTime, nullable("The time when the key expires; null if it does not expire."))
  readonly expiresAt!: Date | null;

  @Field(() => GraphQLDateTime, nullable("The time when the key was revoked; null if it was not revoked."))
  readonly revokedAt!: Date | null;

  @Field(
    () => GraphQLDateTime,
    nullable("The time when the key was last used, accurate to a few seconds; null if it was never used."),
  )
  readonly lastUsedAt!: Date | null;

  constructor({ id, ...key }: ApiKey) {
    super("ApiKey", id);
    Object.assign(this, key satisfies Omit<ApiKeyView, "id">);
  }
}

export const ApiKeyConnection = createConnectionType("ApiKey", ApiKeyView);
