import { Args, Ctx, Mutation, Query, Resolver } from "type-graphql";
import { requireAdmin } from "../../domain/accounts/scopes.js";
import { parseText } from "../../domain/shared/text-field.js";
import { ConnectionArguments } from "../shared/connection-arguments.js";
import { positionById } from "../shared/connection-type.js";
import { type GraphqlContext, requireSession } from "../shared/context.js";
import { mutateAsAdmin } from "../shared/mutation.js";
import { parseNodeIdOfType } from "../shared/node-id.js";
import { Input } from "../shared/payload.js";
import {
  ApiKeyConnection,
  ApiKeyPayload,
  ApiKeyView,
  CreateApiKeyInput,
  CreateApiKeyPayload,
  RevokeApiKeyInput,
} from "./api-key-types.js";

@Resolver()
export class ApiKeyResolver {
  @Query(() => ApiKeyConnection, {
    description: "The environment's API keys, including expired and revoked ones. Requires admin scope.",
  })
  apiKeys(@Args(() => ConnectionArguments) page: ConnectionArguments, @Ctx() context: GraphqlContext) {
    const admin = requireAdmin(requireSession(context).caller);
    return new ApiKeyConnection({
      page,
      sort: { field: "id", kind: "id" },
      positionOf: positionById,
      load: (request) => context.services.apiKeys.list(admin, request),
      count: () => context.services.apiKeys.count(admin),
    });
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

  @Mutation(() => ApiKeyPayload, {
    description:
      "Revokes an API key permanently. Has no effect if it is already revoked. Requires admin scope.",
  })
  async revokeApiKey(
    @Input(() => RevokeApiKeyInput) input: RevokeApiKeyInput,
    @Ctx() context: GraphqlContext,
  ): Promise<object> {
    return mutateAsAdmin(context, ApiKeyPayload, async (admin, { apiKeys }) => {
      const revoked = await apiKeys.revoke(admin, parseNodeIdOfType("ApiKey", input.id));
      return { apiKey: new ApiKeyView(revoked) };
    });
  }
}
