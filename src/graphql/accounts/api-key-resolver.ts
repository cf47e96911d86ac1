import { GraphQLDateTime } from "graphql-scalars";
import { Args, ArgsType, Ctx, Field, InputType, Query, Resolver } from "type-graphql";
import { API_KEY_ORDER, type ApiKeyFilter } from "../../domain/accounts/api-key.js";
import type { Admin, Scope } from "../../domain/accounts/caller.js";
import { requireAdmin } from "../../domain/accounts/scopes.js";
import { parseText } from "../../domain/shared/text-field.js";
import { sourceOf } from "../shared/connection-type.js";
import { type GraphqlContext, requireSession } from "../shared/context.js";
import { createListArguments, createOrderInput } from "../shared/list-inputs.js";
import { AdminMutation, createIdInput, type IdInput } from "../shared/mutation.js";
import { OptionalField } from "../shared/mutation-input.js";
import { parseNodeIdOfType } from "../shared/node.js";
import { nullable } from "../shared/nullable.js";
import { ApiKeyConnection, ApiKeyScope, ApiKeyView } from "./api-key-types.js";

@InputType("ApiKeyFilter", { description: "Filters API keys, which must meet all conditions." })
class ApiKeyFilterInput {
  @Field(() => [ApiKeyScope], nullable("API keys with one of these scopes."))
  readonly scopes?: Scope[] | null;

  @Field(
    () => Boolean,
    nullable("If true, API keys that are neither revoked nor expired; if false, those that are."),
  )
  readonly isActive?: boolean | null;

  @Field(() => String, nullable("API keys whose name contains this text, ignoring case."))
  readonly nameContains?: string | null;
}

@ArgsType()
class ApiKeyArguments extends createListArguments(
  "API keys",
  ApiKeyFilterInput,
  createOrderInput("ApiKeyOrder", "API keys", API_KEY_ORDER),
) {}

@InputType("CreateApiKeyInput", { description: "Input for `createApiKey`." })
class CreateApiKeyInput {
  @Field(() => String, { description: "A name that describes the purpose of the key." })
  readonly name!: string;

  @Field(() => ApiKeyScope, { description: "The scope of the key." })
  readonly scope!: Scope;

  @OptionalField(
    () => GraphQLDateTime,
    "The time when the key expires. If omitted or null, it does not expire.",
  )
  readonly expiresAt?: Date | null;
}

const RevokeApiKeyInput = createIdInput("revokeApiKey", "API key");

const PAYLOAD = {
  apiKey: [() => ApiKeyView, nullable("The API key; null if the mutation failed.")],
} as const;

@Resolver()
export class ApiKeyResolver {
  @Query(() => ApiKeyConnection, {
    description: "The environment's API keys, including expired and revoked ones. Requires admin scope.",
  })
  apiKeys(@Args(() => ApiKeyArguments) list: ApiKeyArguments, @Ctx() context: GraphqlContext) {
    requireAdmin(requireSession(context).caller);
    const filter = parseApiKeyFilter(list.filter);
    return new ApiKeyConnection(sourceOf(context.services.apiKeys.list, context, list, filter));
  }

  @AdminMutation(
    "Creates an API key for the caller's environment. Requires admin scope.",
    () => CreateApiKeyInput,
    {
      ...PAYLOAD,
      secret: [
        () => String,
        nullable(
          "The secret, to be sent as `Authorization: Token <secret>`. It cannot be retrieved later; null if the mutation failed.",
        ),
      ],
    },
  )
  async createApiKey(input: CreateApiKeyInput, admin: Admin, { services }: GraphqlContext) {
    const { apiKey, secret } = await services.apiKeys.create(admin, {
      name: parseText(input.name, ["name"]),
      scope: input.scope,
      expiresAt: input.expiresAt ?? null,
    });
    return { apiKey: new ApiKeyView(apiKey), secret };
  }

  @AdminMutation(
    "Revokes an API key permanently, and ends the embed sessions that it created. Has no effect if it is already revoked. Requires admin scope.",
    () => RevokeApiKeyInput,
    PAYLOAD,
  )
  async revokeApiKey({ id }: IdInput, admin: Admin, { services }: GraphqlContext) {
    return { apiKey: new ApiKeyView(await services.apiKeys.revoke(admin, parseNodeIdOfType("ApiKey", id))) };
  }
}

/** Parses a filter; null or absent conditions are omitted. @throws DomainError `invalid_field` */
function parseApiKeyFilter(filter: ApiKeyFilterInput | null | undefined): ApiKeyFilter {
  const { scopes, isActive, nameContains } = filter ?? {};
  return {
    ...(scopes ? { scopes } : {}),
    ...(typeof isActive === "boolean" ? { isActive } : {}),
    ...(nameContains ? { nameContains: parseText(nameContains, ["filter", "nameContains"]) } : {}),
  };
}
