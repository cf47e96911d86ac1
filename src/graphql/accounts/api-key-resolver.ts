import { GraphQLDateTime } from "graphql-scalars";
import { Arg, Args, Ctx, Field, InputType, Query, Resolver } from "type-graphql";
import type { ApiKeySortField } from "../../domain/accounts/api-key-list.js";
import type { Admin, Scope } from "../../domain/accounts/caller.js";
import { requireAdmin } from "../../domain/accounts/scopes.js";
import type { SortOrder } from "../../domain/shared/pagination.js";
import { parseText } from "../../domain/shared/text-field.js";
import { ConnectionArguments } from "../shared/connection-arguments.js";
import { sourceOf } from "../shared/connection-type.js";
import { type GraphqlContext, requireSession } from "../shared/context.js";
import { AdminMutation, createIdInput, type IdInput } from "../shared/mutation.js";
import { parseNodeIdOfType } from "../shared/node-id.js";
import { nullable } from "../shared/nullable.js";
import { ApiKeyFilterInput, ApiKeyOrder, parseApiKeyFilter } from "./api-key-list-inputs.js";
import { ApiKeyConnection, ApiKeyScope, ApiKeyView } from "./api-key-types.js";

@InputType("CreateApiKeyInput", { description: "Input for `createApiKey`." })
class CreateApiKeyInput {
  @Field(() => String, { description: "A name that describes the purpose of the key." })
  readonly name!: string;

  @Field(() => ApiKeyScope, { description: "The scope of the key." })
  readonly scope!: Scope;

  @Field(() => GraphQLDateTime, nullable("The time when the key expires. If omitted, it does not expire."))
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
  apiKeys(
    @Args(() => ConnectionArguments) page: ConnectionArguments,
    @Arg("filter", () => ApiKeyFilterInput, nullable("Filters the API keys."))
    filterInput: ApiKeyFilterInput | null | undefined,
    @Arg(
      "orderBy",
      () => ApiKeyOrder,
      nullable("The order of the API keys. Defaults to `CREATED_AT`, ascending."),
    )
    orderBy: SortOrder<ApiKeySortField> | null | undefined,
    @Ctx() context: GraphqlContext,
  ) {
    const admin = requireAdmin(requireSession(context).caller);
    const filter = parseApiKeyFilter(filterInput);
    return new ApiKeyConnection(sourceOf(context.services.apiKeys.list, admin, page, { filter, orderBy }));
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
