import { UserGroupsClient } from "../../../clients/typescript/src/client.js";
import type { ClientOptions } from "../../../clients/typescript/src/options.js";
import { type GraphqlFixture, useGraphql } from "../graphql/graphql-fixture.js";
import type { TestServiceOptions } from "../service/test-service.js";

export interface ClientFixture extends GraphqlFixture {
  /** Uses the admin key. */
  readonly client: UserGroupsClient;
  /** Creates another client. */
  newClient(options?: Partial<ClientOptions>): UserGroupsClient;
}

/** Starts the service for a test file of the client package. @returns a getter for the fixture */
export function usePackageClient(options: TestServiceOptions = {}): () => ClientFixture {
  const graphql = useGraphql(options);
  return () => {
    const fixture = graphql();
    const newClient = (more: Partial<ClientOptions> = {}) =>
      new UserGroupsClient({ baseUrl: fixture.service.url, apiKey: fixture.keys.admin, ...more });
    return { ...fixture, client: newClient(), newClient };
  };
}

/** Collects all items. */
export async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const collected: T[] = [];
  for await (const item of items) collected.push(item);
  return collected;
}
