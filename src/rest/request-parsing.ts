import { parseIdempotencyKey } from "../domain/requests/idempotency-key.js";
import { DomainError, type FieldPath, invalidField } from "../domain/shared/errors.js";
import { parseFields, parseGuard } from "../domain/shared/field-parsing.js";
import { isObject } from "../domain/shared/json.js";
import { withSource } from "../domain/shared/json-source.js";
import { isText, parseText } from "../domain/shared/text-field.js";
import { parseMapping } from "../domain/user-groups/mapping.js";
import { parseProperties } from "../domain/user-groups/properties.js";
import type { NewUserGroup, UserGroupChanges } from "../domain/user-groups/user-group.js";

type Members = Readonly<Record<string, unknown>>;

/** A parsed request body and its source text. */
export interface RequestBody {
  readonly members: Members;
  readonly text: string;
}

/**
 * Checks that a request has a JSON object as its body.
 * @throws DomainError `invalid_json`
 */
export function parseBody(value: unknown, text: string, method: string): RequestBody {
  if (value === undefined) {
    const hint =
      method === "GET"
        ? " If your client cannot send a body with GET, use the GraphQL mutation `getOrCreateUserGroup`."
        : "";
    throw new DomainError("invalid_json", `The request has no body. Send a JSON object.${hint}`);
  }
  if (!isObject(value)) throw new DomainError("invalid_json", "The body must be a JSON object.");
  return { members: value, text };
}

/**
 * Returns the external ID in a GET request.
 * @throws DomainError `invalid_field`, which also lists the other invalid fields
 */
export function parseProvidedId(body: RequestBody): string {
  const { user_group_id: providedId } = body.members;
  return isText(providedId) ? providedId : parseUpdate(body).providedId;
}

/** Parses the user group that GET creates. @throws DomainError `invalid_field` */
export function parseNewUserGroup({ members, text }: RequestBody): NewUserGroup {
  const { name, properties = null, mapping = null } = withSource(members, "properties", text);
  return parseFields<NewUserGroup>({
    name: () => parseText(name, ["name"]),
    properties: () => parseProperties(properties, ["properties"]),
    mapping: () => parseMapping(mapping, ["mapping"]),
  });
}

/**
 * Parses a PUT request: absent fields are unchanged, null clears properties and mapping (decision 7).
 * @throws DomainError `invalid_field`
 */
export function parseUpdate({ members, text }: RequestBody): {
  readonly providedId: string;
  readonly changes: UserGroupChanges;
} {
  const { user_group_id, name, properties, mapping } = withSource(members, "properties", text);
  const { providedId, ...changes } = parseFields<{ readonly providedId: string } & UserGroupChanges>({
    providedId: () => parseText(user_group_id, ["providedId"]),
    ...(name === undefined ? {} : { name: () => parseText(name, ["name"]) }),
    ...(properties === undefined ? {} : { properties: () => parseProperties(properties, ["properties"]) }),
    ...(mapping === undefined ? {} : { mapping: () => parseMapping(mapping, ["mapping"]) }),
  });
  return { providedId, changes };
}

/**
 * Parses a POST request: the token to rotate and the optional idempotency key. Without a token, the error names the request to use
 * instead (decision 6).
 * @throws DomainError `invalid_field`
 */
export function parseRotation(
  { members }: RequestBody,
  idempotencyKey: string | readonly string[] | undefined,
): { readonly currentToken: string; readonly key: string | undefined } {
  return parseFields<{ readonly key: string | undefined; readonly currentToken: string }>({
    key: () => parseIdempotencyKey(idempotencyKey),
    currentToken: () =>
      parseToken(
        members["current_token"],
        "is required: POST rotates a token. To get or create a user group, send GET with a body, or use the GraphQL mutation `getOrCreateUserGroup` if your client cannot",
      ),
  });
}

/**
 * Parses a DELETE request: the token, values that its user group must match (decision 9), and the optional idempotency key.
 * @throws DomainError `invalid_field`
 */
export function parseDeletion({ members }: RequestBody, idempotencyKey?: string | readonly string[]) {
  const { current_token, user_group_id, data_source_provided_id } = members;
  const { currentToken, key, ...expected } = parseFields({
    key: () => parseIdempotencyKey(idempotencyKey),
    currentToken: () => parseToken(current_token, "is required"),
    providedId: () => parseGuard("providedId", user_group_id, parseText),
    dataSourceProvidedId: () => parseGuard("dataSourceProvidedId", data_source_provided_id, parseText),
  });
  return { currentToken, key, expected };
}

/** Accepts any non-empty text, so that an unknown token is "not found" rather than "invalid". */
export function parseToken(value: unknown, absentRule: string): string {
  const field: FieldPath = ["currentToken"];
  if (value === undefined) throw invalidField(field, absentRule);
  if (typeof value !== "string") throw invalidField(field, "must be a string");
  if (value === "") throw invalidField(field, "must not be empty");
  return value;
}
