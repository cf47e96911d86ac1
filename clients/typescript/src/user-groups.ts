import {
  type DeletionResult,
  deleteUserGroups,
  deleteUserGroupsEach,
  type RotateTokensOptions,
  type RotationResult,
  rotateTokens,
  rotateTokensEach,
} from "./bulk-edits.js";
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
import { toUserGroupIdField, updateWithGraphql } from "./user-group-update.js";
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

  /** Updates a group. @throws NotFoundError; ConflictError if the group has another version than `expectedVersion` */
  async update(input: UpdateUserGroup, options?: CallOptions): Promise<UpdatedUserGroup> {
    if (input.expectedVersion !== undefined || input.propertiesPatch !== undefined)
      return updateWithGraphql(this.#connection, input, options);
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
    // With an Idempotency-Key, a retry gets the lost reply instead of 404.
    const reply = await this.#connection.mutate(
      DeleteUserGroupDocument,
      { input: { ...rest, by: { token }, providedId } },
      options,
    );
    requireSuccess(reply.deleteUserGroup.userErrors.map(toUserGroupIdField), reply.requestId);
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
    const { upsertUserGroups: payload, requestId } = await this.#connection.mutate(
      UpsertUserGroupsDocument,
      { input },
      options,
    );
    requireSuccess(toSchemaPaths(payload.userErrors, groups), requestId);
    return payload.results
      .map((result, index) => toResult(result, groups[index], requestId))
      .filter((result) => result.ok);
  }

  /** The same, but writes all valid groups. @returns a result for each group, in their order */
  async upsertEach(
    groups: readonly UserGroupUpsert[],
    options?: CallOptions,
  ): Promise<readonly UpsertResult[]> {
    const input = { allOrNothing: false, userGroups: groups.map(writeUpsert) };
    const { upsertUserGroups: payload, requestId } = await this.#connection.mutate(
      UpsertUserGroupsDocument,
      { input },
      options,
    );
    return payload.results.map((result, index) => toResult(result, groups[index], requestId));
  }

  /**
   * Rotates the tokens of up to 1,000 groups in one transaction.
   * @returns the groups with their new tokens, in their order
   * @throws ApiError if one of them does not exist: then none is rotated
   */
  async rotateTokens(
    groups: readonly UserGroupBy[],
    options?: RotateTokensOptions,
  ): Promise<readonly UserGroup[]> {
    return rotateTokens(this.#connection, groups, options);
  }

  /** The same, but rotates the tokens of all groups that exist. @returns a result for each, in their order */
  async rotateTokensEach(
    groups: readonly UserGroupBy[],
    options?: RotateTokensOptions,
  ): Promise<readonly RotationResult[]> {
    return rotateTokensEach(this.#connection, groups, options);
  }

  /** Deletes up to 1,000 groups in one transaction. @throws ApiError if one of them does not exist: then none is deleted */
  async deleteMany(groups: readonly UserGroupBy[], options?: CallOptions): Promise<void> {
    return deleteUserGroups(this.#connection, groups, options);
  }

  /** The same, but deletes all groups that exist. @returns a result for each, in their order */
  async deleteEach(
    groups: readonly UserGroupBy[],
    options?: CallOptions,
  ): Promise<readonly DeletionResult[]> {
    return deleteUserGroupsEach(this.#connection, groups, options);
  }

  /** Maps a schema of the group to a data source, by external or internal ID. */
  async setMapping(
    by: UserGroupBy,
    schemaId: string,
    dataSource: string,
    options?: CallOptions,
  ): Promise<UserGroup> {
    const input = { by, schemaId, dataSource };
    const reply = await this.#connection.mutate(SetUserGroupMappingDocument, { input }, options);
    return requireUserGroup(reply.setUserGroupMapping, reply.requestId);
  }

  /** Removes a schema from the group's mapping, if present. */
  async removeMapping(by: UserGroupBy, schemaId: string, options?: CallOptions): Promise<UserGroup> {
    const input = { by, schemaId };
    const reply = await this.#connection.mutate(RemoveUserGroupMappingDocument, { input }, options);
    return requireUserGroup(reply.removeUserGroupMapping, reply.requestId);
  }

  /** Replaces the whole mapping of a group. */
  async replaceMapping(by: UserGroupBy, mapping: Mapping, options?: CallOptions): Promise<UserGroup> {
    const input = { by, mapping: writeMapping(mapping) };
    const reply = await this.#connection.mutate(ReplaceUserGroupMappingDocument, { input }, options);
    const { userGroup, userErrors } = reply.replaceUserGroupMapping;
    return requireValue(userGroup, toSchemaPaths(userErrors, [{ mapping }]), reply.requestId);
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
    return watchUserGroup(this.#connection, by, options);
  }
}

function requireUserGroup(
  {
    userGroup,
    userErrors,
  }: { readonly userGroup: UserGroup | null; readonly userErrors: readonly UserError[] },
  requestId: string | undefined,
): UserGroup {
  return requireValue(userGroup, userErrors, requestId);
}
