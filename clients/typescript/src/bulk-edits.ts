import type { Connection } from "./connection.js";
import type { ApiError, UserError } from "./errors.js";
import {
  DeleteUserGroupsDocument,
  RotateUserGroupTokensDocument,
  type UserGroupBy,
} from "./generated/operations.js";
import { errorOf, requireSuccess, requireValue } from "./graphql-wire.js";
import type { CallOptions } from "./options.js";
import type { ResponseInfo } from "./response.js";
import { type Properties, typed, type UserGroup } from "./user-group.js";

interface Failed {
  readonly ok: false;
  readonly error: ApiError;
}

/** The result of a rotation of one group: the group with its new token. */
export type RotationResult<Typed extends object = Properties> =
  | { readonly ok: true; readonly userGroup: UserGroup<Typed> }
  | Failed;

/** The result of a deletion of one group. */
export type DeletionResult = { readonly ok: true } | Failed;

type Groups = readonly UserGroupBy[];

/** Options of a bulk rotation. */
export interface RotateTokensOptions extends CallOptions {
  /** How long the old tokens can still be used to read, in seconds, at most the service's grace period, which is the default. */
  readonly graceSeconds?: number | undefined;
}

/** Rotates all or none. @throws ApiError */
export async function rotateTokens<Typed extends object>(
  connection: Connection,
  groups: Groups,
  options?: RotateTokensOptions,
): Promise<UserGroup<Typed>[]> {
  const input = { userGroups: groups, allOrNothing: true, graceSeconds: options?.graceSeconds };
  return connection.mutate(RotateUserGroupTokensDocument, { input }, options, (data, response) => {
    const { results, userErrors } = data.rotateUserGroupTokens;
    requireSuccess(userErrors, response);
    return results.map((result) => typed(requireValue(result, "userGroup", response)));
  });
}

/** Rotates those that exist. */
export async function rotateTokensEach<Typed extends object>(
  connection: Connection,
  groups: Groups,
  options?: RotateTokensOptions,
): Promise<RotationResult<Typed>[]> {
  const input = { userGroups: groups, allOrNothing: false, graceSeconds: options?.graceSeconds };
  return connection.mutate(RotateUserGroupTokensDocument, { input }, options, (data, response) =>
    data.rotateUserGroupTokens.results.map(
      (result) =>
        failureOf(result.userErrors, response) ?? {
          ok: true,
          userGroup: typed(requireValue(result, "userGroup", response)),
        },
    ),
  );
}

/** Deletes all or none. @throws ApiError */
export async function deleteUserGroups(
  connection: Connection,
  groups: Groups,
  options?: CallOptions,
): Promise<void> {
  const input = { userGroups: groups, allOrNothing: true };
  return connection.mutate(DeleteUserGroupsDocument, { input }, options, (data, response) =>
    requireSuccess(data.deleteUserGroups.userErrors, response),
  );
}

/** Deletes those that exist. */
export async function deleteUserGroupsEach(
  connection: Connection,
  groups: Groups,
  options?: CallOptions,
): Promise<DeletionResult[]> {
  const input = { userGroups: groups, allOrNothing: false };
  return connection.mutate(DeleteUserGroupsDocument, { input }, options, (data, response) =>
    data.deleteUserGroups.results.map((result) => {
      const failed = failureOf(result.userErrors, response);
      if (failed) return failed;
      requireValue(result, "deletedUserGroupId", response);
      return { ok: true };
    }),
  );
}

function failureOf(userErrors: readonly UserError[], response: ResponseInfo): Failed | null {
  const error = errorOf(userErrors, response);
  return error ? { ok: false, error } : null;
}
