import { GraphQLDateTime } from "graphql-scalars";
import { Field, ID, InputType, ObjectType } from "type-graphql";
import type { ApiKey } from "../../domain/accounts/api-key.js";
import type { Scope } from "../../domain/accounts/caller.js";
import type { Environment } from "../../domain/accounts/environment.js";
import { createConnectionType } from "../shared/connection-type.js";
import { createEnum } from "../shared/create-enum.js";
import { EnvironmentEnum } from "../shared/environment-enum.js";
import { NodeView } from "../shared/node-type.js";
import { createPayloadType } from "../shared/payload.js";

const ApiKeyScope = createEnum<Scope>(
  "ApiKeyScope",
  "What an API key may do: each scope includes the ones before it.",
  {
    READ: ["read", "Read everything but user group tokens."],
    EMBED: ["embed", "Read user group tokens, too: what a server that embeds dashboards needs."],
    WRITE: ["write", "Change user groups, mappings, data sources and site configurations."],
    ADMIN: ["admin", "Manage API keys and webhooks, and read the audit log."],
  },
);

@ObjectType("ApiKey", {
  implements: NodeView,
  description: "An API key; its secret is shown only when it is made.",
})
export class ApiKeyView extends NodeView {
  @Field(() => String, { description: "What the key is for." })
  readonly name: string;

  @Field(() => String, { description: "The beginning and the end of the secret, to distinguish keys." })
  readonly hint: string;

  @Field(() => EnvironmentEnum, { description: "The environment that the key opens." })
  readonly environment: Environment;

  @Field(() => ApiKeyScope, { description: "What the key may do." })
  readonly scope: Scope;

  @Field(() => GraphQLDateTime, { description: "When the key was made." })
  readonly createdAt: Date;

  @Field(() => GraphQLDateTime, {
    nullable: true,
    description: "When the key ends by itself; null for never.",
  })
  readonly expiresAt: Date | null;

  @Field(() => GraphQLDateTime, {
    nullable: true,
    description: "When the key was revoked; null for not at all.",
  })
  readonly revokedAt: Date | null;

  @Field(() => GraphQLDateTime, {
    nullable: true,
    description: "When the key was last used, to within some seconds; null for never.",
  })
  readonly lastUsedAt: Date | null;

  constructor(key: ApiKey) {
    super("ApiKey", key.id);
    this.name = key.name;
    this.hint = key.hint;
    this.environment = key.environment;
    this.scope = key.scope;
    this.createdAt = key.createdAt;
    this.expiresAt = key.expiresAt;
    this.revokedAt = key.revokedAt;
    this.lastUsedAt = key.lastUsedAt;
  }
}

@InputType("CreateApiKeyInput", { description: "A new API key for the environment of the calling one." })
export class CreateApiKeyInput {
  @Field(() => String, { description: "What the key is for." })
  readonly name!: string;

  @Field(() => ApiKeyScope, { description: "What the key may do." })
  readonly scope!: Scope;

  @Field(() => GraphQLDateTime, {
    nullable: true,
    description: "When the key ends by itself; never if absent.",
  })
  readonly expiresAt?: Date | null;
}

@InputType("RevokeApiKeyInput", { description: "The API key to end." })
export class RevokeApiKeyInput {
  @Field(() => ID, { description: "The global id of the key." })
  readonly id!: string;
}

export const CreateApiKeyPayload = createPayloadType<{ apiKey: ApiKeyView; secret: string }>(
  "CreateApiKeyPayload",
  "The API key that was made.",
  "call",
  {
    apiKey: [() => ApiKeyView, "The key; null when the call failed."],
    secret: [
      () => String,
      "What to send as `Authorization: Token <secret>`. It is shown only this once; null when the call failed.",
    ],
  },
);

export const ApiKeyPayload = createPayloadType<{ apiKey: ApiKeyView }>(
  "ApiKeyPayload",
  "The API key after a change.",
  "change",
  { apiKey: [() => ApiKeyView, "The key; null when the change failed."] },
);

export const ApiKeyConnection = createConnectionType(
  "ApiKey",
  ApiKeyView,
  (key: ApiKey) => new ApiKeyView(key),
);
