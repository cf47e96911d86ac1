import type { Connection } from "./connection.js";
import type { UserError } from "./errors.js";
import { UpdateUserGroupDocument } from "./generated/operations.js";
import { requireValue } from "./graphql-wire.js";
import type { CallOptions } from "./options.js";
import type { UpdatedUserGroup, UpdateUserGroup } from "./rest-wire.js";
import { toSchemaPaths, writeMapping } from "./upserts.js";

/**
 * Updates a group over GraphQL: over REST, a service of an earlier version would ignore the expected version, and replace the properties by
 * a patch.
 * @throws NotFoundError, ConflictError
 */
export async function updateWithGraphql(
  connection: Connection,
  { userGroupId: providedId, mapping, ...changes }: UpdateUserGroup,
  options: CallOptions | undefined,
): Promise<UpdatedUserGroup> {
  const input = { ...changes, by: { providedId }, mapping: mapping && writeMapping(mapping) };
  const { updateUserGroup, requestId } = await connection.mutate(UpdateUserGroupDocument, { input }, options);
  const userErrors = toSchemaPaths(updateUserGroup.userErrors, [{ mapping }]).map(toUserGroupIdField);
  const group = requireValue(updateUserGroup.userGroup, userErrors, requestId);
  return {
    teamId: group.teamId,
    // A key that can update a group can read its token.
    token: requireValue(group.token, [], requestId),
    name: group.name,
    providedId: group.providedId,
    properties: group.properties,
    version: group.version,
    apiEnvironmentTag: group.environment === "CUSTOMER" ? "Customer" : "Testing",
  };
}

/** Returns the field's name in this package, which follows REST. */
export function toUserGroupIdField(error: UserError): UserError {
  const [first, second] = error.field ?? [];
  const isId = first === "providedId" || (first === "by" && second === "providedId");
  return isId ? { ...error, field: ["userGroupId"] } : error;
}
