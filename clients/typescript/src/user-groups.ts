import { type Connection, idempotencyHeader } from "./connection.js";
import type { UserError } from "./errors.js";
import {
  DeleteUserGroupDocument,
  RemoveMappingDocument,
  ReplaceMappingDocument,
  SetMappingDocument,
  UpsertUserGroupsDocument,
  type UserGroupBy,
  UserGroupDocument,
  type UserGroupFieldsFragment,
  type UserGroupFilter,
  type UserGroupOrder,
  type UserGroupResultFragment,
  UserGroupsDocument,
} from "./generated/operations.js";
import { requireDone, requireValue } from "./graphql-wire.js";
import type { CallOptions } from "./options.js";
import { type ListOptions, pages } from "./pages.js";
import {
  type DeleteUserGroup,
  type FoundUserGroup,
  type GetOrCreateUserGroup,
  type Mapping,
  type RotatedUserGroup,
  type RotateUserGroupToken,
  readFound,
  readRotated,
  readUpdated,
  type UpdatedUserGroup,
  type UpdateUserGroup,
  writeRequest,
} from "./rest-wire.js";
import {
  nameEntries,
  toResult,
  type UpsertResult,
  type UserGroupUpsert,
  writeMapping,
  writeUpsert,
} from "./upserts.js";
import { type UserGroupEvent, watchUserGroup } from "./user-group-watch.js";

const PATH = "api/user";

/** A group as GraphQL tells it. */
export type UserGroup = UserGroupFieldsFragment;

/** Which groups, in which order. */
export interface UserGroupListOptions extends ListOptions {
  readonly filter?: UserGroupFilter | undefined;
  readonly orderBy?: UserGroupOrder | undefined;
}

/** User groups: the four calls of the REST API, and what GraphQL has beside them. */
export class UserGroups {
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** Returns the group with this id unchanged, whatever else is told of it, or creates it. */
  async getOrCreate(input: GetOrCreateUserGroup, options?: CallOptions): Promise<FoundUserGroup> {
    const call = { method: "GET", path: PATH, body: writeRequest(input) } as const;
    return this.#connection.call(call, readFound, options);
  }

  /** Changes a group. @throws NotFoundError */
  async update(input: UpdateUserGroup, options?: CallOptions): Promise<UpdatedUserGroup> {
    const call = { method: "PUT", path: PATH, body: writeRequest(input) } as const;
    return this.#connection.call(call, readUpdated, options);
  }

  /** Gives a group a new token; the old one ends, at once or after the service's grace period. @throws NotFoundError */
  async rotateToken(input: RotateUserGroupToken, options: CallOptions = {}): Promise<RotatedUserGroup> {
    const headers = idempotencyHeader(options);
    const call = { method: "POST", path: PATH, body: writeRequest(input), headers } as const;
    return this.#connection.call(call, readRotated, options);
  }

  /** Deletes a group and its mapping. @throws NotFoundError; ConflictError when it is another group than was told */
  async delete(input: DeleteUserGroup, options?: CallOptions): Promise<void> {
    const { userGroupId: providedId, ...rest } = input;
    // Over REST a repetition gets 404, as a token that was never one does: here it gets the reply that was lost.
    const { deleteUserGroup } = await this.#connection.run(
      DeleteUserGroupDocument,
      { input: { ...rest, providedId } },
      options,
    );
    requireDone(deleteUserGroup.userErrors.map(nameUserGroupId));
  }

  /** @returns null when there is none */
  async get(by: UserGroupBy, options?: CallOptions): Promise<UserGroup | null> {
    return (await this.#connection.run(UserGroupDocument, { by }, options)).userGroup;
  }

  /** All groups that are asked for, read page by page as you go on; by internal id unless told otherwise. */
  list(options: UserGroupListOptions = {}): AsyncGenerator<UserGroup, void, undefined> {
    const { filter, orderBy, pageSize, ...call } = options;
    const read = async (first: number, after: string | null) => {
      const variables = { first, after, filter, orderBy };
      return (await this.#connection.run(UserGroupsDocument, variables, call)).userGroups;
    };
    return pages(read, pageSize);
  }

  /**
   * Creates those of up to 1,000 groups that are missing and changes the others, in one transaction.
   * @throws ApiError when one of them is faulty: then none is written, and `userErrors` names every fault
   */
  async upsert(
    groups: readonly UserGroupUpsert[],
    options?: CallOptions,
  ): Promise<readonly { readonly userGroup: UserGroup; readonly newUserGroup: boolean }[]> {
    const input = { allOrNothing: true, userGroups: groups.map(writeUpsert) };
    const { upsertUserGroups: payload } = await this.#connection.run(
      UpsertUserGroupsDocument,
      { input },
      options,
    );
    requireDone(nameEntries(payload.userErrors, groups));
    return payload.results
      .map((result, index) => toResult(result, groups[index]))
      .filter((result) => result.ok);
  }

  /** The same, but writes all that are not faulty. @returns a result for each group, in their order */
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

  /** Leads one schema of a group to a data source: your own id of it, or its internal id. */
  async setMapping(
    by: UserGroupBy,
    schemaId: string,
    dataSource: string,
    options?: CallOptions,
  ): Promise<UserGroup> {
    const input = { by, schemaId, dataSource };
    return changed((await this.#connection.run(SetMappingDocument, { input }, options)).setMapping);
  }

  /** Takes one schema out of a group's mapping, if it is there. */
  async removeMapping(by: UserGroupBy, schemaId: string, options?: CallOptions): Promise<UserGroup> {
    const input = { by, schemaId };
    return changed((await this.#connection.run(RemoveMappingDocument, { input }, options)).removeMapping);
  }

  /** Replaces the whole mapping of a group. */
  async replaceMapping(by: UserGroupBy, mapping: Mapping, options?: CallOptions): Promise<UserGroup> {
    const input = { by, mapping: writeMapping(mapping) };
    const { replaceMapping } = await this.#connection.run(ReplaceMappingDocument, { input }, options);
    return requireValue(replaceMapping.userGroup, nameEntries(replaceMapping.userErrors, [{ mapping }]));
  }

  /**
   * Tells how a group is, then of each change, until it is deleted. Whenever the connection broke it tells how the group is by
   * then, so that nothing is missed but what was between.
   * @throws NotFoundError when there is no such group; ApiError, ConnectionError when it cannot go on
   */
  watch(
    by: Omit<UserGroupBy, "token">,
    options: CallOptions = {},
  ): AsyncGenerator<UserGroupEvent, void, undefined> {
    return watchUserGroup(this.#connection, by, () => this.get(by, options), options);
  }
}

/** Names the field as the caller does, who calls it as REST does. */
function nameUserGroupId(error: UserError): UserError {
  return error.field?.[0] === "providedId" ? { ...error, field: ["userGroupId"] } : error;
}

function changed({ userGroup, userErrors }: UserGroupResultFragment): UserGroup {
  return requireValue(userGroup, userErrors);
}
