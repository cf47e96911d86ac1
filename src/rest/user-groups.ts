import { z } from "zod";
import type { Writer } from "../domain/accounts/caller.js";
import { requireEmbed, requireWrite } from "../domain/accounts/scopes.js";
import {
  IDEMPOTENCY_KEY_HEADER,
  parseIdempotencyKey,
  REPLAYED_HEADER,
} from "../domain/requests/idempotency-key.js";
import type { FieldPath } from "../domain/shared/errors.js";
import { parseFields, parseGuard } from "../domain/shared/field-parsing.js";
import { withSource } from "../domain/shared/stored-json.js";
import { isText, parseText } from "../domain/shared/text-field.js";
import { MAX_MAPPING_ENTRIES, parseMapping } from "../domain/user-groups/mapping.js";
import { parseProperties } from "../domain/user-groups/properties.js";
import type {
  ExpectedVersions,
  NewUserGroup,
  UserGroup,
  UserGroupChanges,
} from "../domain/user-groups/user-group.js";
import { parseExpectedVersions } from "./entity-tag.js";
import {
  COMPONENTS,
  CURRENT_TOKEN,
  field,
  parse,
  parseToken,
  SUCCESS,
  TEXT,
  USER_GROUP_ID,
} from "./fields.js";
import { curlBlock, headerParameter, IDEMPOTENCY_KEY_PARAMETER, MERGE_PATCH_TYPE } from "./openapi.js";
import type { Operation, RestRequest } from "./operations.js";
import { EXAMPLE, FIELDS, group, PROPERTIES, TAG, TOKEN_FIELDS } from "./user-group-schemas.js";

export const USER_PATH = "/api/user";
const JSON_TYPE = "application/json; charset=utf-8";

/** Fields besides the token must match the token's user group (decision 9). */
const guard = (value: unknown, path: FieldPath) => parseGuard(path, value, parseText);

const user_group_id = field(parseText, USER_GROUP_ID);
const NAME = { ...TEXT, description: "The user group's name.", examples: ["Acme Inc."] };
const properties = field(parseProperties, PROPERTIES).exactOptional();
const mapping = field(parseMapping, {
  description:
    "Maps schema IDs to data sources. A value is a data source's external ID or, if none matches, its internal ID. `null` means no mapping.",
  type: ["object", "null"],
  maxProperties: MAX_MAPPING_ENTRIES,
  propertyNames: TEXT,
  additionalProperties: TEXT,
  examples: [{ sales: "demo-sales" }],
})
  .transform((entries) => entries.map((entry) => ({ ...entry, field: ["mapping", ...entry.field] })))
  .exactOptional();

/** Absent fields are unchanged, null clears properties and mapping (decision 7). */
const UPDATE = z
  .object({ user_group_id, name: field(parseText, NAME).exactOptional(), properties, mapping })
  .meta({
    description:
      "The user group to update. Omitted fields keep their values; `null` removes the `properties` or the `mapping`.",
  });
const NO_GROUP = "is required: no user group has this ID. Send `name` as well to create it";
const NEW = z.object({ name: field(parseText, NAME, NO_GROUP), properties, mapping });

/** Decision 6. */
const NO_ROTATION =
  "is required: POST rotates a token. To get or create a user group, send GET with a body, or use the GraphQL mutation `getOrCreateUserGroup` if your client cannot";
const ROTATION = z.object({
  current_token: field(parseToken, CURRENT_TOKEN, NO_ROTATION),
});

const DELETION = z.object({
  current_token: field(parseToken, CURRENT_TOKEN),
  user_group_id: field(guard, {
    ...USER_GROUP_ID,
    description: "Your ID of the user group. If set, it must match the token's user group.",
  }).exactOptional(),
  data_source_provided_id: field(guard, {
    ...TEXT,
    description: "Your ID of a data source. If set, the token's user group must be mapped to it.",
    examples: ["demo-sales"],
  }).exactOptional(),
});

const ROTATED = z.object({ success: SUCCESS, user_group: group({ ...TOKEN_FIELDS, ...TAG }) });

const GROUP = { team_id: 1, token: "ugt_…", name: "Acme Inc.", provided_id: "acme" };
const CUSTOMER = { api_environment_tag: "Customer" };
const NEW_GROUP = {
  user_group_id: "acme",
  name: "Acme Inc.",
  properties: EXAMPLE,
  mapping: { sales: "demo-sales" },
};
const CHANGE = { user_group_id: "acme", properties: { region: "US" } };
const PATCH = { user_group_id: "acme", properties: { region: "US", plan: null } };
const PRECONDITIONS = [
  headerParameter(
    "If-Match",
    'The `ETag` of your copy, such as `"1-7"`, or a list of them. The request fails with 412, and changes nothing, if the user group has changed since, or was deleted and created again. `*` matches every version. A weak tag (`W/"1-7"`) matches as well, and so does one with the suffix `-gzip` or `-br`, as proxies that compress replies make them.',
  ),
  headerParameter(
    "If-None-Match",
    "`*` requires that the user group does not exist. As this operation creates none, it fails with 412 or 404. Other values are refused.",
    { enum: ["*"] },
  ),
];
const TOKEN = { current_token: "ugt_…" };

/** The operations of `/api/user` (interface, part 4). The keys of replies have the order of the interface (decision 3). */
export const USER_OPERATIONS = {
  get: {
    operationId: "getOrCreateUserGroup",
    summary: "Get or create a user group",
    description: [
      "Returns the user group with this `user_group_id`, or creates it. An existing user group is returned unchanged, and the other fields are ignored; this requires an API key with embed scope, because the reply contains the token. Creating a user group requires a `name` and an API key with write scope. Concurrent requests create only one user group, and exactly one reply contains `new_user_group: true`.",
      "The parameters are sent in the request body. Browsers (`fetch`), Java's `HttpURLConnection` and some other clients cannot send a body with GET: use the GraphQL mutation `getOrCreateUserGroup` at `/graphql` instead. The API documentation in the browser cannot send the request either; use a terminal:",
      curlBlock("GET", USER_PATH, NEW_GROUP),
    ],
    request: z
      .object(UPDATE.shape)
      .meta({
        description: "The user group to get or create. `name` is required if it does not exist yet.",
      })
      .register(COMPONENTS, { id: "GetOrCreateRequest" }),
    requestExamples: {
      create: [NEW_GROUP, "Get or create"],
      get: [{ user_group_id: "acme" }, "Get an existing user group"],
    },
    reply: z
      .object({
        success: SUCCESS,
        new_user_group: z
          .boolean()
          .meta({ description: "Indicates whether this request created the user group." }),
        user_group: group(FIELDS),
      })
      .register(COMPONENTS, { id: "GetOrCreateReply" }),
    replyDescription: "The existing or new user group.",
    replyHeaders: ["ETag"],
    replyExamples: {
      created: [
        { success: 1, new_user_group: true, user_group: { ...GROUP, properties: EXAMPLE } },
        "Created",
      ],
      found: [
        { success: 1, new_user_group: false, user_group: { ...GROUP, properties: null } },
        "Existing user group without properties",
      ],
    },
    codes: ["unknown_data_source"],
    async handle({ services: { userGroups, userGroupReader }, caller, body, request, reply }) {
      requireEmbed(caller);
      const { bodyText } = request;
      const providedId = parseProvidedId(body, bodyText);
      const { userGroup, created } = await userGroups.getOrCreate(caller, providedId, () =>
        parseNewUserGroup(body, bodyText),
      );
      if (created) request.hasWritten = true;
      reply.type(JSON_TYPE).header("etag", writeTag(userGroup));
      const fields = writeGroup(userGroup, userGroupReader.tokenOf(userGroup));
      return `{"success":1,"new_user_group":${created},"user_group":{${fields}}}`;
    },
  },
  put: {
    operationId: "updateUserGroup",
    summary: "Update a user group",
    description: [
      "Updates an existing user group. Omitted fields keep their values, an object replaces the entire current object, and `null` removes the `properties` or the `mapping`. Properties that equal the stored ones as JSON values are no change: the reply contains the stored text. Does not create a user group.",
      "With `Content-Type: application/merge-patch+json`, `properties` is a JSON Merge Patch (RFC 7396) of the current properties: other properties keep their values, and `null` removes one. The other fields have the same meaning as usual. So several programs can each change their own properties concurrently.",
      "With the `ETag` of a reply in `If-Match`, the update fails with 412 if the user group has changed since. Send an `Idempotency-Key` as well, so that you can safely retry if no reply arrives.",
      curlBlock("PUT", USER_PATH, CHANGE),
    ],
    parameters: [...PRECONDITIONS, IDEMPOTENCY_KEY_PARAMETER],
    request: UPDATE.register(COMPONENTS, { id: "UpdateRequest" }),
    requestExamples: {
      change: [CHANGE, "Replace the properties"],
      clear: [{ user_group_id: "acme", mapping: null }, "Remove the mapping"],
    },
    mergePatchExamples: { merge: [PATCH, "Change one property and remove another"] },
    reply: z
      .object({ success: SUCCESS, user_group: group({ ...FIELDS, ...TAG }) })
      .register(COMPONENTS, { id: "UpdateReply" }),
    replyDescription: "The updated user group.",
    replyHeaders: ["ETag", REPLAYED_HEADER],
    replyExamples: {
      updated: [
        { success: 1, user_group: { ...GROUP, properties: { region: "US" }, ...CUSTOMER } },
        "Updated",
      ],
    },
    codes: [
      "user_group_not_found",
      "idempotency_key_in_use",
      "version_conflict",
      "unknown_data_source",
      "idempotency_mismatch",
    ],
    async handle(call) {
      const { userGroups, userGroupReader } = call.services;
      const { bodyText, headers } = call.request;
      const content = [bodyText, headers["content-type"]];
      const apply = async ({ writer, fields, expectedVersions }: Change<Update>) => {
        const { user_group_id: providedId, ...changes } = fields;
        const ref = { by: "providedId", providedId } as const;
        const userGroup = await userGroups.update(writer, ref, { ...changes, expectedVersions });
        const written = writeGroup(userGroup, userGroupReader.tokenOf(userGroup));
        return {
          etag: writeTag(userGroup),
          text: `{"success":1,"user_group":{${written},"api_environment_tag":"${userGroup.environment}"}}`,
        };
      };
      const { etag, text } = await changeOnce(call, parseUpdate, apply, content);
      call.reply.type(JSON_TYPE).header("etag", etag);
      return text;
    },
  },
  post: {
    operationId: "rotateUserGroupToken",
    summary: "Rotate a user group's token",
    description: [
      "Replaces the token of the user group with a new one. The old token is invalidated immediately, unless the service is configured with a grace period during which it can still read over GraphQL. If the same token is rotated twice concurrently, one request succeeds and the other returns 404. POST does not create user groups; `current_token` is required.",
      "Send an `Idempotency-Key` so that you can safely retry the request if no reply arrives.",
      curlBlock("POST", USER_PATH, TOKEN, "Idempotency-Key: rotate acme 2026-11-21"),
    ],
    parameters: [...PRECONDITIONS, IDEMPOTENCY_KEY_PARAMETER],
    request: ROTATION.register(COMPONENTS, { id: "RotateRequest" }),
    requestExamples: { rotate: [TOKEN, "Rotate"] },
    reply: ROTATED.register(COMPONENTS, { id: "RotateReply" }),
    replyDescription: "The user group with its new token.",
    replyHeaders: ["ETag", REPLAYED_HEADER],
    replyExamples: { rotated: [{ success: 1, user_group: { ...GROUP, ...CUSTOMER } }, "Rotated"] },
    codes: ["user_group_not_found", "idempotency_key_in_use", "version_conflict", "idempotency_mismatch"],
    async handle(call) {
      const { userGroups } = call.services;
      const parseBody = () => parse(ROTATION, call.body);
      const apply = async ({ writer, fields, expectedVersions }: Change<z.infer<typeof ROTATION>>) => {
        const ref = { by: "token", token: fields.current_token } as const;
        const { userGroup, token } = await userGroups.rotateToken(writer, ref, { expectedVersions });
        const { id: team_id, name, providedId: provided_id, environment: api_environment_tag } = userGroup;
        const user_group = { team_id, token, name, provided_id, api_environment_tag };
        const body = { success: 1, user_group } satisfies z.infer<typeof ROTATED>;
        return { etag: writeTag(userGroup), body };
      };
      const { etag, body } = await changeOnce(call, parseBody, apply);
      call.reply.header("etag", etag);
      return body;
    },
  },
  delete: {
    operationId: "deleteUserGroup",
    summary: "Delete a user group",
    description: [
      "Deletes the user group that `current_token` identifies. The other fields must match the user group, otherwise nothing is deleted. A repeated request returns 404, or the first reply if it has the same `Idempotency-Key`.",
      curlBlock("DELETE", USER_PATH, { ...TOKEN, user_group_id: "acme" }),
    ],
    parameters: [...PRECONDITIONS, IDEMPOTENCY_KEY_PARAMETER],
    request: DELETION.register(COMPONENTS, { id: "DeleteRequest" }),
    requestExamples: {
      checked: [{ ...TOKEN, user_group_id: "acme" }, "By token and ID"],
      token: [TOKEN, "By token"],
    },
    reply: z.object({ success: SUCCESS }).register(COMPONENTS, { id: "DeleteReply" }),
    replyDescription: "The user group was deleted.",
    replyHeaders: [REPLAYED_HEADER],
    replyExamples: { deleted: [{ success: 1 }, "Deleted"] },
    codes: [
      "user_group_not_found",
      "user_group_mismatch",
      "idempotency_key_in_use",
      "version_conflict",
      "idempotency_mismatch",
    ],
    async handle(call) {
      const { userGroups } = call.services;
      const parseBody = () => parse(DELETION, call.body);
      return changeOnce(call, parseBody, async ({ writer, fields, expectedVersions: versions }) => {
        const { current_token: token, user_group_id: providedId, data_source_provided_id } = fields;
        const expected = { versions, providedId, dataSourceProvidedId: data_source_provided_id };
        await userGroups.delete(writer, { by: "token", token }, expected);
        return { success: 1 };
      });
    },
  },
} satisfies Readonly<Record<string, Operation>>;

/** Returns the external ID in a GET request. @throws DomainError `invalid_field`, which also lists the other invalid fields */
export function parseProvidedId(body: RestRequest["body"], text: string): string {
  const { user_group_id } = body;
  return isText(user_group_id) ? user_group_id : parseExactly(UPDATE, body, text).user_group_id;
}

/** Parses the user group that GET creates. @throws DomainError `invalid_field` */
export function parseNewUserGroup(body: RestRequest["body"], text: string): NewUserGroup {
  const { name, properties = null, mapping = [] } = parseExactly(NEW, body, text);
  return { name, properties, mapping };
}

/** Parses a body whose properties keep their text (decision 12b). */
function parseExactly<Fields>(schema: z.ZodType<Fields>, body: RestRequest["body"], text: string): Fields {
  return parse(schema, withSource(body, "properties", text));
}

interface Update extends UserGroupChanges {
  readonly user_group_id: string;
}

/** Parses the body of PUT, whose meaning depends on its media type. @throws DomainError `invalid_field` */
function parseUpdate({ body, request: { bodyText, headers } }: RestRequest): Update {
  const { properties, ...others } = parseExactly(UPDATE, body, bodyText);
  if (properties === undefined) return others;
  const [mediaType = ""] = (headers["content-type"] ?? "").split(";");
  return mediaType.trim().toLowerCase() === MERGE_PATCH_TYPE
    ? { ...others, propertiesPatch: properties }
    : { ...others, properties };
}

/** A change with its precondition. */
interface Change<Fields> {
  readonly writer: Writer;
  readonly fields: Fields;
  readonly expectedVersions: ExpectedVersions | undefined;
}

/**
 * Applies a change, with the precondition in If-Match or If-None-Match, and at most once if the request has an Idempotency-Key
 * (decision 39).
 * @param content what repeated requests must have in common, besides the precondition
 * @throws DomainError `invalid_field` for the headers or the body, and those of `apply`
 */
async function changeOnce<Fields, Reply extends object>(
  call: RestRequest,
  parseCall: (call: RestRequest) => Fields,
  apply: (change: Change<Fields>) => Promise<Reply>,
  content: readonly unknown[] = [call.body],
): Promise<Reply> {
  const writer = requireWrite(call.caller);
  const { method, headers } = call.request;
  const { [IDEMPOTENCY_KEY_HEADER]: header, "if-match": ifMatch, "if-none-match": ifNoneMatch } = headers;
  // Fast path for requests without these headers.
  if (header === undefined && ifMatch === undefined && ifNoneMatch === undefined)
    return apply({ writer, fields: parseCall(call), expectedVersions: undefined });
  const { key, ...change } = parseFields<Omit<Change<Fields>, "writer"> & { readonly key: string | null }>({
    key: () => (header === undefined ? null : parseIdempotencyKey(header)),
    expectedVersions: () => parseExpectedVersions(headers),
    fields: () => parseCall(call),
  });
  if (key === null) return apply({ writer, ...change });
  const once = { key, content: [`${method} ${USER_PATH}`, ...content, ifMatch, ifNoneMatch] };
  const outcome = await call.services.idempotency.once(writer, once, (each) =>
    apply({ writer: each, ...change }),
  );
  if (outcome.replayed) call.reply.header(REPLAYED_HEADER, "true");
  return outcome.reply;
}

/** Writes the entity tag of a group's version. With the ID, it does not match a group that was created again. */
function writeTag({ id, version }: UserGroup): string {
  return `"${id}-${version}"`;
}

/**
 * Writes a group's fields (decision 3) as JSON text, which includes the stored text of the properties unchanged (decision 12b).
 * @param token null to leave it out
 */
export function writeGroup({ id, name, providedId, properties }: UserGroup, token: string | null): string {
  const key = token === null ? "" : `"token":${JSON.stringify(token)},`;
  const texts = `${key}"name":${JSON.stringify(name)},"provided_id":${JSON.stringify(providedId)}`;
  return `"team_id":${id},${texts},"properties":${properties ?? "null"}`;
}
