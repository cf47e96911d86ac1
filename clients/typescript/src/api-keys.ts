import type { Connection } from "./connection.js";
import {
  type ApiKeyFieldsFragment,
  type ApiKeyFilter,
  type ApiKeyOrder,
  ApiKeysDocument,
  CreateApiKeyDocument,
  type CreateApiKeyInput,
  RevokeApiKeyDocument,
} from "./generated/operations.js";
import { requireValue } from "./graphql-wire.js";
import type { CallOptions } from "./options.js";
import { type ListOptions, paginate } from "./pages.js";

/** An API key without its secret. */
export type ApiKey = ApiKeyFieldsFragment;

/** Filter and order of a list of API keys. */
export interface ApiKeyListOptions extends ListOptions {
  readonly filter?: ApiKeyFilter | undefined;
  readonly orderBy?: ApiKeyOrder | undefined;
}

/** API keys of the environment. All calls need a key with admin scope. */
export class ApiKeys {
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** Iterates over all matching keys, page by page. */
  list(options: ApiKeyListOptions = {}): AsyncGenerator<ApiKey, void, undefined> {
    const { filter, orderBy, pageSize, ...call } = options;
    const read = async (first: number, after: string | null) => {
      const variables = { first, after, filter, orderBy };
      return this.#connection.run(ApiKeysDocument, variables, call, (data) => data.apiKeys);
    };
    return paginate(read, pageSize);
  }

  /** @returns the key, and its secret, which cannot be read later */
  async create(
    input: CreateApiKeyInput,
    options?: CallOptions,
  ): Promise<{ readonly apiKey: ApiKey; readonly secret: string }> {
    return this.#connection.mutate(CreateApiKeyDocument, { input }, options, (data, response) => ({
      apiKey: requireValue(data.createApiKey, "apiKey", response),
      secret: requireValue(data.createApiKey, "secret", response),
    }));
  }

  /** Revokes a key permanently. @param id its global ID @throws NotFoundError */
  async revoke(id: string, options?: CallOptions): Promise<ApiKey> {
    return this.#connection.mutate(RevokeApiKeyDocument, { input: { id } }, options, (data, response) =>
      requireValue(data.revokeApiKey, "apiKey", response),
    );
  }
}
