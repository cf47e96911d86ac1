import { createApiError } from "./api-error.js";
import type { CreateEmbedSession, EmbedSession } from "./embed-sessions.js";
import type { FieldError, UserGroupsError } from "./errors.js";
import type { HttpReply } from "./http-transport.js";
import { isJsonObject, type JsonObject, metaOf, parseReply, unexpectedReply } from "./reply.js";

/** The only file that uses the REST API's names, which are this package's in snake_case. */

/** Maps schema IDs to data sources, by external or internal ID. */
export type Mapping = Readonly<Record<string, string>>;

export type EnvironmentTag = "Customer" | "Testing";

/** A group to get or create. */
export interface GetOrCreateUserGroup {
  /** External ID of the group. */
  readonly userGroupId: string;
  /** Required for creation only. */
  readonly name?: string | undefined;
  readonly mapping?: Mapping | null | undefined;
  /** A JSON object: the variables of dashboards. */
  readonly properties?: object | null | undefined;
}

/** Changes of a group: absent fields keep their values, null clears. */
export interface UpdateUserGroup {
  /** External ID of the group. */
  readonly userGroupId: string;
  readonly name?: string | undefined;
  /** Replaces the whole mapping. */
  readonly mapping?: Mapping | null | undefined;
  /** Replaces the whole object. */
  readonly properties?: object | null | undefined;
  /** Instead of `properties`: replaces only these properties, and removes those that are null (JSON Merge Patch, RFC 7396). */
  readonly propertiesPatch?: object | null | undefined;
  /** The version that you last read, such as `version` of `get`. */
  readonly expectedVersion?: number | undefined;
}

export interface RotateUserGroupToken {
  /** The token to invalidate. */
  readonly currentToken: string;
}

/** The group to delete, by its token. Other fields must match the group; otherwise nothing is deleted. */
export interface DeleteUserGroup {
  readonly currentToken: string;
  readonly userGroupId?: string | undefined;
  readonly dataSourceProvidedId?: string | undefined;
}

/** A group with a new token. */
export interface RotatedUserGroup {
  /** The internal ID. */
  readonly teamId: number;
  /** The token for embedding dashboards; a page of this group may hold it. */
  readonly token: string;
  readonly name: string;
  /** External ID of the group. */
  readonly providedId: string;
  readonly apiEnvironmentTag: EnvironmentTag;
}

/** A group after a change. */
export interface UpdatedUserGroup extends RotatedUserGroup {
  readonly properties: Readonly<Record<string, unknown>> | null;
  /** For `expectedVersion` of an update; undefined if a proxy removed the ETag, or the service is of an earlier version. */
  readonly version: number | undefined;
}

/** A group that was found or created. */
export interface FoundUserGroup extends Omit<UpdatedUserGroup, "apiEnvironmentTag"> {
  /** Whether this call created it. */
  readonly isNew: boolean;
}

/** Builds a request body; absent fields stay absent. */
export function writeRequest(
  input: GetOrCreateUserGroup | UpdateUserGroup | RotateUserGroupToken | CreateEmbedSession,
): string {
  return JSON.stringify(
    Object.fromEntries(Object.entries(input).map(([name, value]) => [toSnake(name), value])),
  );
}

/** Returns the body of a successful reply. @throws ApiError, UnexpectedReplyError */
function readSuccess(reply: HttpReply): JsonObject {
  const body = parseReply(reply);
  if (reply.status === 200 && body["success"] === 1) return body;
  throw readRefusal(reply, body);
}

/** @throws UnexpectedReplyError */
export function readFound(reply: HttpReply): FoundUserGroup {
  const body = readSuccess(reply);
  const { new_user_group: isNew } = body;
  const group = { ...readGroup(reply, body), ...readState(reply, body) };
  if (typeof isNew !== "boolean") throw incomplete(reply);
  return { isNew, ...group };
}

/** @throws UnexpectedReplyError */
export function readUpdated(reply: HttpReply): UpdatedUserGroup {
  const body = readSuccess(reply);
  return { ...readTagged(reply, body), ...readState(reply, body) };
}

/** @throws UnexpectedReplyError */
export function readRotated(reply: HttpReply): RotatedUserGroup {
  return readTagged(reply, readSuccess(reply));
}

/** @throws UnexpectedReplyError */
export function readEmbedSession(reply: HttpReply): EmbedSession {
  const { token, expires_at: expiresAt } = readSuccess(reply);
  if (typeof token !== "string" || typeof expiresAt !== "string") throw incomplete(reply);
  return { token, expiresAt: new Date(expiresAt) };
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

function readState(reply: HttpReply, body: JsonObject): Pick<UpdatedUserGroup, "properties" | "version"> {
  const { properties } = groupOf(reply, body);
  if (properties !== null && !isJsonObject(properties)) throw incomplete(reply);
  // Proxies that compress replies make entity tags weak, or add a suffix.
  const [, version] = /^(?:W\/)?"\d+-(\d+)(?:-[a-z]+)?"$/.exec(reply.headers.etag ?? "") ?? [];
  return { properties, version: version === undefined ? undefined : Number(version) };
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
  return unexpectedReply(reply, "is not from the user group service");
}

function toSnake(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** Only the first part of a path is a field name; the rest is the caller's. */
function toCamelPath(path: string): string {
  const [first = "", ...rest] = path.split(".");
  const name = first.replace(/_([a-z])/g, (_match, letter: string) => letter.toUpperCase());
  return [name, ...rest].join(".");
}
