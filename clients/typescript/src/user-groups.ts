import { type Connection, idempotencyHeader } from "./connection.js";
import type { CreateEmbedSession, EmbedSession } from "./embed-sessions.js";
import type { UserError } from "./errors.js";
import {
  DeleteUserGroupDocument,
  RemoveUserGroupMappingDocument,
  ReplaceUserGroupMappingDocument,
  SetUserGroupMappingDocument,
  UpsertUserGroupsDocument,
  type UserGroupBy,
  UserGroupDocument,
  type UserGroupFieldsFragment,
  type UserGroupFilter,
  type UserGroupOrder,
  UserGroupsDocument,
} from "./generated/operations.js";
import { requireSuccess, requireValue } from "./graphql-wire.js";
import type { CallOptions } from "./options.js";
import { type ListOptions, paginate } from "./pages.js";
import {
  type DeleteUserGroup,
  type FoundUserGroup,
  type GetOrCreateUserGroup,
  type Mapping,
  type RotatedUserGroup,
  type RotateUserGroupToken,
  readEmbedSession,
  readFound,
  readRotated,
  readUpdated,
  type UpdatedUserGroup,
  type UpdateUserGroup,
  writeRequest,
} from "./rest-wire.js";
import {
  toResult,
  toSchemaPaths,
  type UpsertResult,
  type UserGroupUpsert,
  writeMapping,
  writeUpsert,
} from "./upserts.js";
import { type UserGroupEvent, watchUserGroup } from "./user-group-watch.js";

const PATH = "api/user";

/** A group as returned by GraphQL. */
export type UserGroup = UserGroupFieldsFragment;

/** Filter and order of a list of groups. */
export interface UserGroupListOptions extends ListOptions {
  readonly filter?: UserGroupFilter | undefined;
  readonly orderBy?: UserGroupOrder | undefined;
}

/** User groups: the REST API's four calls, and further ones of GraphQL. */
export class UserGroups {
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** Returns the group with this ID unchanged, or creates it. */
  async getOrCreate(input: GetOrCreateUserGroup, options?: CallOptions): Promise<FoundUserGroup> {
    const call = { method: "GET", path: PATH, body: writeRequest(input) } as const;
    return this.#connection.call(call, readFound, options);
  }

  /** Updates a group. @throws NotFoundError */
  async update(input: UpdateUserGroup, options?: CallOptions): Promise<UpdatedUserGroup> {
    const call = { method: "PUT", path: PATH, body: writeRequest(input) } as const;
    return this.#connection.call(call, readUpdated, options);
  }

  /** Rotates a group's token. The old one is invalidated, after the service's grace period if any. @throws NotFoundError */
  async rotateToken(input: RotateUserGroupToken, options: CallOptions = {}): Promise<RotatedUserGroup> {
    const headers = idempotencyHeader(options);
    const call = { method: "POST", path: PATH, body: writeRequest(input), headers } as const;
    return this.#connection.call(call, readRotated, options);
  }

  /** Deletes a group and its mapping. @throws NotFoundError; ConflictError if other fields do not match the token's group */
  async delete(input: DeleteUserGroup, options?: CallOptions): Promise<void> {
    const { currentToken: token, userGroupId: providedId, ...rest } = input;
    // Over REST a retry would get 404; with an Idempotency-Key it gets the lost reply.
    const { deleteUserGroup } = await this.#connection.run(
      DeleteUserGroupDocument,
      { input: { ...rest, by: { token }, providedId } },
      options,
    );
    requireSuccess(deleteUserGroup.userErrors.map(toUserGroupIdField));
  }

  /** Creates a short-lived token with which a page can read the group. @throws NotFoundError */
  async createEmbedSession(input: CreateEmbedSession, options?: CallOptions): Promise<EmbedSession> {
    const call = { method: "POST", path: "api/embed-session", body: writeRequest(input) } as const;
    return this.#connection.call(call, readEmbedSession, options);
  }

  /** @returns null if it does not exist */
  async get(by: UserGroupBy, options?: CallOptions): Promise<UserGroup | null> {
    return (await this.#connection.run(UserGroupDocument, { by }, options)).userGroup;
  }

  /** Iterates over all matching groups, page by page. Default order: internal ID. */
  list(options: UserGroupListOptions = {}): AsyncGenerator<UserGroup, void, undefined> {
    const { filter, orderBy, pageSize, ...call } = options;
    const read = async (first: number, after: string | null) => {
      const variables = { first, after, filter, orderBy };
      return (await this.#connection.run(UserGroupsDocument, variables, call)).userGroups;
    };
    return paginate(read, pageSize);
  }

  /**
   * Creates or updates up to 1,000 groups in one transaction.
   * @throws ApiError if one of them is invalid: then none is written, and `userErrors` lists all errors
   */
  async upsert(
    groups: readonly UserGroupUpsert[],
    options?: CallOptions,
  ): Promise<readonly { readonly userGroup: UserGroup; readonly isNew: boolean }[]> {
    const input = { allOrNothing: true, userGroups: groups.map(writeUpsert) };
    const { upsertUserGroups: payload } = await this.#connection.run(
      UpsertUserGroupsDocument,
      { input },
      options,
    );
    requireSuccess(toSchemaPaths(payload.userErrors, groups));
    return payload.results
      .map((result, index) => toResult(result, groups[index]))
      .filter((result) => result.ok);
  }

  /** The same, but writes all valid groups. @returns a result for each group, in their order */
  async upsertEach(
    groups: readonly UserGroupUpsert[],
    options?: CallOptions,
  ): Promise<readonly UpsertResult[]> {
    const input = { allOrNothing: false, userGroups: groups.map(writeUpsert) };
    const { upsertUserGroups: payload } = await this.#connection.run(
      UpsertUserGroupsDocument,
      { input },
      options,
    );
    return payload.results.map((result, index) => toResult(result, groups[index]));
  }

  /** Maps a schema of the group to a data source, by external or internal ID. */
  async setMapping(
    by: UserGroupBy,
    schemaId: string,
    dataSource: string,
    options?: CallOptions,
  ): Promise<UserGroup> {
    const input = { by, schemaId, dataSource };
    return requireUserGroup(
      (await this.#connection.run(SetUserGroupMappingDocument, { input }, options)).setUserGroupMapping,
    );
  }

  /** Removes a schema from the group's mapping, if present. */
  async removeMapping(by: UserGroupBy, schemaId: string, options?: CallOptions): Promise<UserGroup> {
    const input = { by, schemaId };
    return requireUserGroup(
      (await this.#connection.run(RemoveUserGroupMappingDocument, { input }, options)).removeUserGroupMapping,
    );
  }

  /** Replaces the whole mapping of a group. */
  async replaceMapping(by: UserGroupBy, mapping: Mapping, options?: CallOptions): Promise<UserGroup> {
    const input = { by, mapping: writeMapping(mapping) };
    const { replaceUserGroupMapping } = await this.#connection.run(
      ReplaceUserGroupMappingDocument,
      { input },
      options,
    );
    return requireValue(
      replaceUserGroupMapping.userGroup,
      toSchemaPaths(replaceUserGroupMapping.userErrors, [{ mapping }]),
    );
  }

  /**
   * Yields the group's current state, then each change, until it is deleted. After a reconnect it yields the current state again;
   * intermediate states may be missed.
   * @throws NotFoundError if the group does not exist; ApiError, ConnectionError if it cannot continue
   */
  watch(
    by: Exclude<UserGroupBy, { readonly token: string }>,
    options: CallOptions = {},
  ): AsyncGenerator<UserGroupEvent, void, undefined> {
    return watchUserGroup(this.#connection, by, () => this.get(by, options), options);
  }
}

/** Returns the field's name in this package, which follows REST. */
function toUserGroupIdField(error: UserError): UserError {
  return error.field?.[0] === "providedId" ? { ...error, field: ["userGroupId"] } : error;
}

function requireUserGroup({
  userGroup,
  userErrors,
}: {
  readonly userGroup: UserGroup | null;
  readonly userErrors: readonly UserError[];
}): UserGroup {
  return requireValue(userGroup, userErrors);
}
