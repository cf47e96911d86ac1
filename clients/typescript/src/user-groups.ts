import {
  type DeletionResult,
  deleteUserGroups,
  deleteUserGroupsEach,
  type RotateTokensOptions,
  type RotationResult,
  rotateTokens,
  rotateTokensEach,
} from "./bulk-edits.js";
import type { Connection } from "./connection.js";
import type {
  CreateEmbedSession,
  CreateTemplateSession,
  EmbedSession,
  TemplateSession,
} from "./embed-sessions.js";
import { UnexpectedReplyError } from "./errors.js";
import {
  CreateEmbedSessionDocument,
  type CreateEmbedSessionMutation,
  CreateTemplateSessionDocument,
  DeleteUserGroupDocument,
  GetOrCreateUserGroupDocument,
  RemoveUserGroupMappingDocument,
  ReplaceUserGroupMappingDocument,
  RotateUserGroupTokenDocument,
  SetUserGroupMappingDocument,
  UpdateUserGroupDocument,
  UpsertUserGroupsDocument,
  type UserGroupBy,
  UserGroupDocument,
  type UserGroupFilter,
  type UserGroupOrder,
  UserGroupsDocument,
} from "./generated/operations.js";
import { requireSuccess, requireValue } from "./graphql-wire.js";
import type { CallOptions } from "./options.js";
import { type ListOptions, paginate } from "./pages.js";
import type { ResponseInfo } from "./response.js";
import {
  type Mapping,
  toResult,
  toSchemaPaths,
  type UpsertResult,
  type UserGroupUpsert,
  writeGroup,
  writeMapping,
} from "./upserts.js";
import { type Properties, typed, type UserGroup, type Written } from "./user-group.js";
import {
  type DeleteUserGroup,
  type FoundUserGroup,
  type GetOrCreateUserGroup,
  type RotateUserGroupToken,
  requireToken,
  toCallerFields,
  type UpdateUserGroup,
  type UserGroupWithToken,
} from "./user-group-calls.js";
import { type UserGroupEvent, watchUserGroup } from "./user-group-watch.js";

/** Filter and order of a list of groups. */
export interface UserGroupListOptions extends ListOptions {
  readonly filter?: UserGroupFilter | undefined;
  readonly orderBy?: UserGroupOrder | undefined;
}

/** User groups of the API key's environment. @typeParam Typed the type of their properties */
export class UserGroups<Typed extends object = Properties> {
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** Returns the group with this ID unchanged, or creates it. */
  async getOrCreate(
    group: GetOrCreateUserGroup<Written<Typed>>,
    options?: CallOptions,
  ): Promise<FoundUserGroup<Typed>> {
    const input = writeGroup(group);
    // Without a key, which the service would store for every page that is opened: the call is safe to repeat.
    return this.#connection.run(GetOrCreateUserGroupDocument, { input }, options, (data, response) => {
      const { isNew, ...payload } = data.getOrCreateUserGroup;
      return { ...requireToken<Typed>(payload, response, group), isNew: isNew === true };
    });
  }

  /** Updates a group. @throws NotFoundError; ConflictError if the group has another version than `expectedVersion` */
  async update(
    { providedId, ...changes }: UpdateUserGroup<Written<Typed>>,
    options?: CallOptions,
  ): Promise<UserGroupWithToken<Typed>> {
    const input = { ...writeGroup(changes), by: { providedId } };
    return this.#connection.mutate(UpdateUserGroupDocument, { input }, options, (data, response) =>
      requireToken(data.updateUserGroup, response, changes),
    );
  }

  /** Rotates a group's token. The old one is invalidated, after the service's grace period if any. @throws NotFoundError */
  async rotateToken(
    { currentToken: token }: RotateUserGroupToken,
    options?: CallOptions,
  ): Promise<UserGroupWithToken<Typed>> {
    const input = { by: { token } };
    return this.#connection.mutate(RotateUserGroupTokenDocument, { input }, options, (data, response) =>
      requireToken(data.rotateUserGroupToken, response),
    );
  }

  /** Deletes a group and its mapping. @throws NotFoundError; ConflictError if other fields do not match the token's group */
  async delete({ currentToken: token, ...guards }: DeleteUserGroup, options?: CallOptions): Promise<void> {
    const input = { ...guards, by: { token } };
    return this.#connection.mutate(DeleteUserGroupDocument, { input }, options, (data, response) =>
      requireSuccess(toCallerFields(data.deleteUserGroup.userErrors), response),
    );
  }

  /** Creates a short-lived token with which a page can read the group. @throws NotFoundError */
  async createEmbedSession(session: CreateEmbedSession, options?: CallOptions): Promise<EmbedSession> {
    const input = toSessionInput(session);
    return this.#connection.run(CreateEmbedSessionDocument, { input }, options, (data, response) =>
      readSession(data.createEmbedSession, response),
    );
  }

  /**
   * Creates a short-lived token of the group for another tool, with claims as a session template says.
   * @throws NotFoundError; InvalidRequestError with every value that the template refers to and the group does not have
   */
  async createTemplateSession(
    session: CreateTemplateSession,
    options?: CallOptions,
  ): Promise<TemplateSession> {
    const input = { ...toSessionInput(session), template: session.template };
    return this.#connection.run(CreateTemplateSessionDocument, { input }, options, (data, response) => {
      const { template, url, ...payload } = data.createTemplateSession;
      const created = readSession(payload, response);
      // The token of another template would show other rows, or go to another tool.
      if (template !== session.template)
        throw new UnexpectedReplyError("The reply is for another session template.", response);
      return { ...created, template, url };
    });
  }

  /** @returns null if it does not exist */
  async get(by: UserGroupBy, options?: CallOptions): Promise<UserGroup<Typed> | null> {
    return this.#connection.run(UserGroupDocument, { by }, options, (data) => typed(data.userGroup));
  }

  /** Iterates over all matching groups, page by page. Default order: internal ID. */
  list(options: UserGroupListOptions = {}): AsyncGenerator<UserGroup<Typed>, void, undefined> {
    const { filter, orderBy, pageSize, ...call } = options;
    const read = async (first: number, after: string | null) => {
      const variables = { first, after, filter, orderBy };
      return this.#connection.run(UserGroupsDocument, variables, call, (data) =>
        typed<Typed>(data.userGroups),
      );
    };
    return paginate(read, pageSize);
  }

  /**
   * Creates or updates up to 1,000 groups in one transaction.
   * @throws ApiError if one of them is invalid: then none is written, and `userErrors` lists all errors
   */
  async upsert(
    groups: readonly UserGroupUpsert<Written<Typed>>[],
    options?: CallOptions,
  ): Promise<readonly { readonly userGroup: UserGroup<Typed>; readonly isNew: boolean }[]> {
    const input = { allOrNothing: true, userGroups: groups.map(writeGroup) };
    return this.#connection.mutate(UpsertUserGroupsDocument, { input }, options, (data, response) => {
      const { results, userErrors } = data.upsertUserGroups;
      requireSuccess(toSchemaPaths(userErrors, groups), response);
      return results
        .map((result, index) => toResult<Typed>(result, groups[index], response))
        .filter((result) => result.ok);
    });
  }

  /** The same, but writes all valid groups. @returns a result for each group, in their order */
  async upsertEach(
    groups: readonly UserGroupUpsert<Written<Typed>>[],
    options?: CallOptions,
  ): Promise<readonly UpsertResult<Typed>[]> {
    const input = { allOrNothing: false, userGroups: groups.map(writeGroup) };
    return this.#connection.mutate(UpsertUserGroupsDocument, { input }, options, (data, response) =>
      data.upsertUserGroups.results.map((result, index) => toResult<Typed>(result, groups[index], response)),
    );
  }

  /**
   * Rotates the tokens of up to 1,000 groups in one transaction.
   * @returns the groups with their new tokens, in their order
   * @throws ApiError if one of them does not exist: then none is rotated
   */
  async rotateTokens(
    groups: readonly UserGroupBy[],
    options?: RotateTokensOptions,
  ): Promise<readonly UserGroup<Typed>[]> {
    return rotateTokens(this.#connection, groups, options);
  }

  /** The same, but rotates the tokens of all groups that exist. @returns a result for each, in their order */
  async rotateTokensEach(
    groups: readonly UserGroupBy[],
    options?: RotateTokensOptions,
  ): Promise<readonly RotationResult<Typed>[]> {
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
  ): Promise<UserGroup<Typed>> {
    const input = { by, schemaId, dataSource };
    return this.#connection.mutate(SetUserGroupMappingDocument, { input }, options, (data, response) =>
      typed(requireValue(data.setUserGroupMapping, "userGroup", response)),
    );
  }

  /** Removes a schema from the group's mapping, if present. */
  async removeMapping(by: UserGroupBy, schemaId: string, options?: CallOptions): Promise<UserGroup<Typed>> {
    const input = { by, schemaId };
    return this.#connection.mutate(RemoveUserGroupMappingDocument, { input }, options, (data, response) =>
      typed(requireValue(data.removeUserGroupMapping, "userGroup", response)),
    );
  }

  /** Replaces the whole mapping of a group. */
  async replaceMapping(by: UserGroupBy, mapping: Mapping, options?: CallOptions): Promise<UserGroup<Typed>> {
    const input = { by, mapping: writeMapping(mapping) };
    return this.#connection.mutate(ReplaceUserGroupMappingDocument, { input }, options, (data, response) => {
      const { userErrors, ...payload } = data.replaceUserGroupMapping;
      const errors = toSchemaPaths(userErrors, [{ mapping }]);
      return typed(requireValue({ ...payload, userErrors: errors }, "userGroup", response));
    });
  }

  /**
   * Yields the group's current state, then each change, until it is deleted. After a reconnect it yields the current state again;
   * intermediate states may be missed.
   * @throws NotFoundError if the group does not exist; ApiError, ConnectionError if it cannot continue
   */
  watch(
    by: Exclude<UserGroupBy, { readonly token: string }>,
    options: CallOptions = {},
  ): AsyncGenerator<UserGroupEvent<Typed>, void, undefined> {
    return watchUserGroup(this.#connection, by, options);
  }
}

function toSessionInput(session: CreateEmbedSession) {
  const { expiresIn: expiresInSeconds, variables } = session;
  const by = "currentToken" in session ? { token: session.currentToken } : { providedId: session.providedId };
  return { by, expiresInSeconds, variables };
}

function readSession(
  { userErrors, ...payload }: CreateEmbedSessionMutation["createEmbedSession"],
  response: ResponseInfo,
): EmbedSession {
  const found = { ...payload, userErrors: toCallerFields(userErrors) };
  return {
    token: requireValue(found, "token", response),
    expiresAt: new Date(requireValue(found, "expiresAt", response)),
  };
}
