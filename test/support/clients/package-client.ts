import { UserGroupsClient } from "../../../clients/typescript/src/client.js";
import type { ClientOptions } from "../../../clients/typescript/src/options.js";
import { type GraphqlFixture, useGraphql } from "../graphql/graphql-fixture.js";
import type { TestServiceOptions } from "../service/test-service.js";

export interface ClientFixture extends GraphqlFixture {
  /** With the admin key. */
  readonly client: UserGroupsClient;
  /** Another one. */
  newClient(options?: Partial<ClientOptions>): UserGroupsClient;
}

/** Starts the service for a test file of the client package. @returns what gives the fixture, once the tests run */
export function usePackageClient(options: TestServiceOptions = {}): () => ClientFixture {
  const graphql = useGraphql(options);
  return () => {
    const fixture = graphql();
    const newClient = (more: Partial<ClientOptions> = {}) =>
      new UserGroupsClient({ baseUrl: fixture.service.url, apiKey: fixture.keys.admin, ...more });
    return { ...fixture, client: newClient(), newClient };
  };
}

/** All that comes. */
export async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const collected: T[] = [];
  for await (const item of items) collected.push(item);
  return collected;
}
