import { createApiError } from "./api-error.js";
import type { Connection } from "./connection.js";
import { type ApiError, UnexpectedReplyError, type UserError } from "./errors.js";
import {
  DeleteUserGroupsDocument,
  RotateUserGroupTokensDocument,
  type UserGroupBy,
  type UserGroupFieldsFragment,
} from "./generated/operations.js";
import { detailsOf, requireSuccess } from "./graphql-wire.js";
import type { CallOptions } from "./options.js";

interface Failed {
  readonly ok: false;
  readonly error: ApiError;
}

/** The result of a rotation of one group: the group with its new token. */
export type RotationResult = { readonly ok: true; readonly userGroup: UserGroupFieldsFragment } | Failed;

/** The result of a deletion of one group. */
export type DeletionResult = { readonly ok: true } | Failed;

type Groups = readonly UserGroupBy[];

/** Options of a bulk rotation. */
export interface RotateTokensOptions extends CallOptions {
  /** How long the old tokens can still be used to read, in seconds, at most the service's grace period, which is the default. */
  readonly graceSeconds?: number | undefined;
}

/** Rotates all or none. @throws ApiError */
export async function rotateTokens(
  connection: Connection,
  groups: Groups,
  options?: RotateTokensOptions,
): Promise<UserGroupFieldsFragment[]> {
  const { results, userErrors, requestId } = await rotate(connection, groups, true, options);
  requireSuccess(userErrors, requestId);
  return results.map(({ userGroup }) => requireResult(userGroup, requestId));
}

/** Rotates those that exist. */
export async function rotateTokensEach(
  connection: Connection,
  groups: Groups,
  options?: RotateTokensOptions,
): Promise<RotationResult[]> {
  const { results, requestId } = await rotate(connection, groups, false, options);
  return results.map(({ userGroup, userErrors }) => {
    const failed = failureOf(userErrors, requestId);
    return failed ?? { ok: true, userGroup: requireResult(userGroup, requestId) };
  });
}

/** Deletes all or none. @throws ApiError */
export async function deleteUserGroups(
  connection: Connection,
  groups: Groups,
  options?: CallOptions,
): Promise<void> {
  const { userErrors, requestId } = await remove(connection, groups, true, options);
  requireSuccess(userErrors, requestId);
}

/** Deletes those that exist. */
export async function deleteUserGroupsEach(
  connection: Connection,
  groups: Groups,
  options?: CallOptions,
): Promise<DeletionResult[]> {
  const { results, requestId } = await remove(connection, groups, false, options);
  return results.map(({ deletedUserGroupId, userErrors }) => {
    const failed = failureOf(userErrors, requestId);
    if (failed) return failed;
    requireResult(deletedUserGroupId, requestId);
    return { ok: true };
  });
}

async function rotate(
  connection: Connection,
  userGroups: Groups,
  allOrNothing: boolean,
  options?: RotateTokensOptions,
) {
  const input = { userGroups, allOrNothing, graceSeconds: options?.graceSeconds };
  const reply = await connection.mutate(RotateUserGroupTokensDocument, { input }, options);
  return { ...reply.rotateUserGroupTokens, requestId: reply.requestId };
}

async function remove(
  connection: Connection,
  userGroups: Groups,
  allOrNothing: boolean,
  options?: CallOptions,
) {
  const input = { userGroups, allOrNothing };
  const reply = await connection.mutate(DeleteUserGroupsDocument, { input }, options);
  return { ...reply.deleteUserGroups, requestId: reply.requestId };
}

function failureOf(userErrors: readonly UserError[], requestId: string | undefined): Failed | null {
  const [first] = userErrors;
  return first ? { ok: false, error: createApiError(detailsOf(first, userErrors, requestId)) } : null;
}

function requireResult<T>(value: T | null, requestId: string | undefined): T {
  if (value !== null) return value;
  const reply = { status: 200, requestId };
  throw new UnexpectedReplyError("The reply contains neither a result nor an error for a group.", reply);
}
