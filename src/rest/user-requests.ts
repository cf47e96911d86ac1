import { DomainError, type FieldPath, invalidField } from "../domain/errors.js";
import { isObject } from "../domain/json.js";
import { parseMapping } from "../domain/mapping.js";
import { parseProperties } from "../domain/properties.js";
import { parseText } from "../domain/text-field.js";
import type { NewUserGroup, UserGroupChanges } from "../domain/user-group.js";

type Body = Readonly<Record<string, unknown>>;

/**
 * The body of a request as an object.
 * @throws DomainError `invalid_json` when there is none or it is something else
 */
export function parseBody(body: unknown): Body {
  if (body === undefined) {
    throw new DomainError(
      "invalid_json",
      "The request has no body. Send a JSON object. A client that cannot send one with GET uses the GraphQL mutation getOrCreateUserGroup.",
    );
  }
  if (!isObject(body)) throw new DomainError("invalid_json", "The body must be a JSON object.");
  return body;
}

/** @throws DomainError `invalid_field` */
export function parseProvidedId(body: Body): string {
  return parseText(body["user_group_id"], ["providedId"]);
}

/** What GET creates a group from. @throws DomainError `invalid_field` */
export function parseNewUserGroup(body: Body): NewUserGroup {
  return {
    name: parseText(body["name"], ["name"]),
    properties: parseProperties(body["properties"] ?? null, ["properties"]),
    mapping: parseMapping(body["mapping"] ?? null, ["mapping"]),
  };
}

/** What PUT changes: an absent field stays, null clears properties and mapping (decision 7). @throws DomainError `invalid_field` */
export function parseChanges(body: Body): UserGroupChanges {
  const { name, properties, mapping } = body;
  return {
    ...(name === undefined ? {} : { name: parseText(name, ["name"]) }),
    ...(properties === undefined ? {} : { properties: parseProperties(properties, ["properties"]) }),
    ...(mapping === undefined ? {} : { mapping: parseMapping(mapping, ["mapping"]) }),
  };
}

/** The token to rotate. @throws DomainError `invalid_field`, which for a missing one says what to use (decision 6) */
export function parseTokenToRotate(body: Body): string {
  if (body["current_token"] === undefined) {
    throw invalidField(
      ["currentToken"],
      "is required: POST rotates a token. To get or create a user group, send GET with a body, or use the GraphQL mutation getOrCreateUserGroup if your client cannot",
    );
  }
  return parseToken(body);
}

/** What DELETE is told: the token, and what must agree with its group (decision 9). @throws DomainError `invalid_field` */
export function parseDeletion(body: Body) {
  const providedId = body["user_group_id"];
  const dataSourceProvidedId = body["data_source_provided_id"];
  return {
    currentToken: parseToken(body),
    expected: {
      ...(providedId === undefined ? {} : { providedId: parseText(providedId, ["providedId"]) }),
      ...(dataSourceProvidedId === undefined
        ? {}
        : { dataSourceProvidedId: parseText(dataSourceProvidedId, ["dataSourceProvidedId"]) }),
    },
  };
}

function parseToken(body: Body): string {
  const field: FieldPath = ["currentToken"];
  const token = body["current_token"];
  // Any text may be a token, whatever its length: an unknown one is "not found", not "invalid".
  if (token === undefined) throw invalidField(field, "is required");
  if (typeof token !== "string") throw invalidField(field, "must be a string");
  if (token === "") throw invalidField(field, "must not be empty");
  return token;
}
