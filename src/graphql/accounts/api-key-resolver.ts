import { Arg, Args, Ctx, Mutation, Query, Resolver } from "type-graphql";
import type { ApiKeySortField } from "../../domain/accounts/api-key-list.js";
import { requireAdmin } from "../../domain/accounts/scopes.js";
import type { SortOrder } from "../../domain/shared/pagination.js";
import { parseText } from "../../domain/shared/text-field.js";
import { ConnectionArguments } from "../shared/connection-arguments.js";
import { sourceOf } from "../shared/connection-type.js";
import { type GraphqlContext, requireSession } from "../shared/context.js";
import { mutateAsAdmin } from "../shared/mutation.js";
import { parseNodeIdOfType } from "../shared/node-id.js";
import { nullable } from "../shared/nullable.js";
import { Input } from "../shared/payload.js";
import { ApiKeyFilterInput, ApiKeyOrder, parseApiKeyFilter } from "./api-key-list-inputs.js";
import {
  ApiKeyConnection,
  ApiKeyView,
  CreateApiKeyInput,
  CreateApiKeyPayload,
  RevokeApiKeyInput,
  RevokeApiKeyPayload,
} from "./api-key-types.js";

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

  @Mutation(() => CreateApiKeyPayload, {
    description: "Creates an API key for the caller's environment. Requires admin scope.",
  })
  async createApiKey(
    @Input(() => CreateApiKeyInput) input: CreateApiKeyInput,
    @Ctx() context: GraphqlContext,
  ): Promise<object> {
    return mutateAsAdmin(context, CreateApiKeyPayload, async (admin, { apiKeys }) => {
      const { apiKey, secret } = await apiKeys.create(admin, {
        name: parseText(input.name, ["name"]),
        scope: input.scope,
        expiresAt: input.expiresAt ?? null,
      });
      return { apiKey: new ApiKeyView(apiKey), secret };
    });
  }

  @Mutation(() => RevokeApiKeyPayload, {
    description:
      "Revokes an API key permanently, and ends the embed sessions that it created. Has no effect if it is already revoked. Requires admin scope.",
  })
  async revokeApiKey(
    @Input(() => RevokeApiKeyInput) input: RevokeApiKeyInput,
    @Ctx() context: GraphqlContext,
  ): Promise<object> {
    return mutateAsAdmin(context, RevokeApiKeyPayload, async (admin, { apiKeys }) => {
      const revoked = await apiKeys.revoke(admin, parseNodeIdOfType("ApiKey", input.id));
      return { apiKey: new ApiKeyView(revoked) };
    });
  }
}
