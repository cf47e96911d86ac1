import { TokenVault } from "../../../src/domain/accounts/token-vault.js";
import { parseUserGroupToken } from "../../../src/domain/user-groups/token.js";
import type { PeerSettings, Tenant } from "./peer-process.js";
import type { TenantQueries } from "./tenant-queries.js";

/** The measured part of our schema. */
export const TYPE_DEFS = `
  scalar JSON
  type Query {
    userGroup(by: UserGroupBy!): UserGroup
    userGroups(first: Int!, after: String): UserGroupConnection!
    viewer: Viewer
  }
  input UserGroupBy { providedId: String! }
  type UserGroup {
    teamId: Int!
    providedId: String!
    name: String!
    properties: JSON
    version: Int!
    mapping: [MappingEntry!]!
  }
  type MappingEntry { schemaId: String! dataSource: DataSource! }
  type DataSource { dataSourceId: Int! providedId: String! name: String! }
  type UserGroupConnection { nodes: [UserGroup!]! pageInfo: PageInfo! }
  type PageInfo { hasNextPage: Boolean! endCursor: String }
  type Viewer { userGroup: UserGroup }
`;

/** The caller: the holder of an API key, or a group's front end by the hash of its token. */
export interface Identity {
  readonly tenant: Tenant;
  readonly tokenLookup: Buffer | null;
}

export interface PeerContext {
  readonly identity: Identity;
}

export interface OneArguments {
  readonly by: { readonly providedId: string };
}

export interface PageArguments {
  readonly first: number;
  readonly after?: string | null;
}

/**
 * Creates a function that authenticates by the Authorization header.
 * @param findTenant returns the tenant of an API key
 * @throws Error for invalid credentials
 */
export function identifier(
  settings: PeerSettings,
  findTenant: (authorization: string | undefined) => Promise<Tenant | undefined> | Tenant | undefined,
): (authorization: string | undefined) => Promise<Identity> {
  const vault = new TokenVault([Buffer.from(settings.encryptionKey, "base64")]);
  return async (authorization) => {
    const tenant = await findTenant(authorization);
    if (tenant) return { tenant, tokenLookup: null };
    const [scheme, token = ""] = (authorization ?? "").split(" ");
    const route = scheme === "Bearer" ? parseUserGroupToken(token) : null;
    if (!route) throw new Error("The credentials are missing or unknown.");
    const tokenLookup = vault.lookup(token, vault.primaryKeyId);
    return { tenant: { accountId: route.accountId, environment: "Customer" }, tokenLookup };
  };
}

/** Root resolvers shared by peers with hand-written statements. */
export function queryResolvers(queries: TenantQueries) {
  return {
    userGroup: (_: unknown, { by }: OneArguments, { identity: { tenant } }: PeerContext) =>
      queries.findByProvidedId(tenant, by.providedId),
    async userGroups(_: unknown, { first, after }: PageArguments, { identity: { tenant } }: PeerContext) {
      return toPage(await queries.findAfter(tenant, idOfCursor(after), first + 1), first);
    },
    viewer: async (_: unknown, _given: unknown, { identity: { tenant, tokenLookup } }: PeerContext) => ({
      userGroup: tokenLookup && (await queries.findByToken(tenant, tokenLookup)),
    }),
  };
}

/** @param groups the page's groups, plus one if there is a next page */
export function toPage<Any extends { readonly teamId: number }>(groups: readonly Any[], first: number) {
  const nodes = groups.slice(0, first);
  const last = nodes.at(-1);
  return {
    nodes,
    pageInfo: {
      hasNextPage: groups.length > first,
      endCursor: last ? Buffer.from(String(last.teamId)).toString("base64url") : null,
    },
  };
}

export function idOfCursor(cursor: string | null | undefined): number {
  return cursor ? Number(Buffer.from(cursor, "base64url").toString()) : 0;
}
