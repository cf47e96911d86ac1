import { createApiError } from "./api-error.js";
import type { FieldError, UserGroupsError } from "./errors.js";
import type { HttpReply } from "./http-transport.js";
import { isJsonObject, type JsonObject, metaOf, parseReply, unexpected } from "./reply.js";

/** The one file that knows the REST API's spelling: its names are those of this package in snake_case. */

/** Leads schema ids to data sources: your own id of one, or its internal id. */
export type Mapping = Readonly<Record<string, string>>;

export type EnvironmentTag = "Customer" | "Testing";

/** A group to get, and what to create it from. */
export interface GetOrCreateUserGroup {
  /** Your own id of the group. */
  readonly userGroupId: string;
  /** Required only when the group is created. */
  readonly name?: string | undefined;
  readonly mapping?: Mapping | null | undefined;
  /** A JSON object: the variables of dashboards. */
  readonly properties?: object | null | undefined;
}

/** Changes to a group: what is absent stays as it is, null clears. */
export interface UpdateUserGroup {
  /** Your own id of the group. */
  readonly userGroupId: string;
  readonly name?: string | undefined;
  /** Replaces the whole mapping. */
  readonly mapping?: Mapping | null | undefined;
  /** Replaces the whole object. */
  readonly properties?: object | null | undefined;
}

export interface RotateUserGroupToken {
  /** The token that ends. */
  readonly currentToken: string;
}

/** The group to delete: the one of the token. What else is given must agree with it, or nothing is deleted. */
export interface DeleteUserGroup {
  readonly currentToken: string;
  readonly userGroupId?: string | undefined;
  readonly dataSourceProvidedId?: string | undefined;
}

/** A group with a new token. */
export interface RotatedUserGroup {
  /** The internal id. */
  readonly teamId: number;
  /** What embeds dashboards, and what a page of this group may hold. */
  readonly token: string;
  readonly name: string;
  /** Your own id of the group. */
  readonly providedId: string;
  readonly apiEnvironmentTag: EnvironmentTag;
}

/** A group after a change. */
export interface UpdatedUserGroup extends RotatedUserGroup {
  readonly properties: Readonly<Record<string, unknown>> | null;
}

/** A group that was found or created. */
export interface FoundUserGroup extends Omit<UpdatedUserGroup, "apiEnvironmentTag"> {
  /** Whether this call created it. */
  readonly newUserGroup: boolean;
}

/** Writes a request: absent fields stay absent. */
export function writeRequest(input: GetOrCreateUserGroup | UpdateUserGroup | RotateUserGroupToken): string {
  return JSON.stringify(
    Object.fromEntries(Object.entries(input).map(([name, value]) => [toSnake(name), value])),
  );
}

/** The body of a reply that tells of success. @throws ApiError for a refusal, UnexpectedReplyError */
function readSuccess(reply: HttpReply): JsonObject {
  const body = parseReply(reply);
  if (reply.status === 200 && body["success"] === 1) return body;
  throw readRefusal(reply, body);
}

/** @throws UnexpectedReplyError */
export function readFound(reply: HttpReply): FoundUserGroup {
  const body = readSuccess(reply);
  const { new_user_group: newUserGroup } = body;
  const group = { ...readGroup(reply, body), properties: readProperties(reply, body) };
  if (typeof newUserGroup !== "boolean") throw incomplete(reply);
  return { newUserGroup, ...group };
}

/** @throws UnexpectedReplyError */
export function readUpdated(reply: HttpReply): UpdatedUserGroup {
  const body = readSuccess(reply);
  return { ...readTagged(reply, body), properties: readProperties(reply, body) };
}

/** @throws UnexpectedReplyError */
export function readRotated(reply: HttpReply): RotatedUserGroup {
  return readTagged(reply, readSuccess(reply));
}

function readTagged(reply: HttpReply, body: JsonObject): RotatedUserGroup {
  const { api_environment_tag: apiEnvironmentTag } = groupOf(reply, body);
  if (apiEnvironmentTag !== "Customer" && apiEnvironmentTag !== "Testing") throw incomplete(reply);
  return { ...readGroup(reply, body), apiEnvironmentTag };
}

function readGroup(reply: HttpReply, body: JsonObject) {
  const { team_id: teamId, token, name, provided_id: providedId } = groupOf(reply, body);
  if (
    typeof teamId !== "number" ||
    typeof token !== "string" ||
    typeof name !== "string" ||
    typeof providedId !== "string"
  ) {
    throw incomplete(reply);
  }
  return { teamId, token, name, providedId };
}

function readProperties(reply: HttpReply, body: JsonObject): Readonly<Record<string, unknown>> | null {
  const { properties } = groupOf(reply, body);
  if (properties === null || isJsonObject(properties)) return properties;
  throw incomplete(reply);
}

function groupOf(reply: HttpReply, { user_group: group }: JsonObject): JsonObject {
  if (isJsonObject(group)) return group;
  throw incomplete(reply);
}

function readRefusal(reply: HttpReply, { error }: JsonObject): UserGroupsError {
  const { code, message, field, fields, request_id: requestId } = isJsonObject(error) ? error : {};
  if (typeof code !== "string" || typeof message !== "string") return incomplete(reply);
  const meta = metaOf(reply);
  return createApiError({
    ...meta,
    code,
    message,
    ...(typeof field === "string" ? { field: toCamelPath(field) } : {}),
    ...(Array.isArray(fields) ? { fields: fields.flatMap(readFieldError) } : {}),
    ...(typeof requestId === "string" ? { requestId } : {}),
  });
}

function readFieldError(error: unknown): FieldError[] {
  const { field, message } = isJsonObject(error) ? error : {};
  return typeof field === "string" && typeof message === "string"
    ? [{ field: toCamelPath(field), message }]
    : [];
}

function incomplete(reply: HttpReply): UserGroupsError {
  return unexpected(reply, "is not one of the user group service");
}

function toSnake(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** The first part of a path names a field; what follows is the caller's own. */
function toCamelPath(path: string): string {
  const [first = "", ...rest] = path.split(".");
  const name = first.replace(/_([a-z])/g, (_match, letter: string) => letter.toUpperCase());
  return [name, ...rest].join(".");
}
