import { z } from "zod";
import { type FieldPath, invalidField } from "../domain/shared/errors.js";
import {
  DEFAULT_PAGE_SIZE,
  MAX_PAGE_SIZE,
  parsePage,
  positionOf,
  toCursor,
} from "../domain/shared/pagination.js";
import { parseText } from "../domain/shared/text-field.js";
import { USER_GROUP_ORDER, type UserGroupFilter } from "../domain/user-groups/list.js";
import { COMPONENTS, integer, parameter, parse, SUCCESS, TEXT, text } from "./fields.js";
import { curlBlock } from "./openapi.js";
import type { Operation } from "./operations.js";
import { EXAMPLE, FIELDS } from "./user-group-schemas.js";
import { writeGroup } from "./user-groups.js";

export const USER_GROUPS_PATH = "/api/user-groups";
const ORDER = USER_GROUP_ORDER.default;
const SORT = USER_GROUP_ORDER.fields[ORDER.field];

const condition = (description: string, toFilter: (sent: string) => UserGroupFilter) =>
  parameter((sent, path) => toFilter(parseText(sent, path)), { description, schema: TEXT });
const QUERY = z.object({
  limit: parameter(parseLimit, {
    description: "The maximum number of user groups.",
    schema: { type: "integer", minimum: 1, maximum: MAX_PAGE_SIZE, default: DEFAULT_PAGE_SIZE },
  }),
  cursor: parameter((after) => ({ after }), {
    description: "The `next_cursor` of the previous page.",
    schema: { type: "string" },
  }),
  user_group_id: condition("Only the user group with this ID.", (id) => ({ providedIds: [id] })),
  data_source_provided_id: condition("Only user groups that are mapped to this data source.", (id) => ({
    dataSource: { by: "providedId", providedId: id },
  })),
  schema_id: condition("Only user groups whose mapping has this schema.", (schemaId) => ({ schemaId })),
});

const SHOWN = z.object(FIELDS).omit({ token: true });
const GROUP = SHOWN.extend({
  version: integer({ minimum: 1, description: "The version, as in the `ETag`." }),
  updated_at: text("The time of the last change.").meta({ format: "date-time" }),
});
const NAMES = { team_id: 1, name: "Acme Inc.", provided_id: "acme" };
const EXAMPLE_GROUP = { ...NAMES, properties: EXAMPLE, version: 2, updated_at: "2026-11-23T09:30:00.000Z" };

/** The operation of `/api/user-groups` (decision 59). */
export const USER_GROUP_LIST_OPERATIONS = {
  get: {
    operationId: "listUserGroups",
    summary: "List user groups",
    description: [
      "Returns the user groups of the environment, without their tokens, ordered by `team_id`. All conditions must hold; unknown parameters and a body are refused. Any API key may list.",
      curlBlock("GET", `${USER_GROUPS_PATH}?limit=100`),
    ],
    query: QUERY,
    access: "anyKey",
    reply: z
      .object({
        success: SUCCESS,
        user_groups: z.array(GROUP).meta({ description: "At most `limit` user groups." }),
        next_cursor: z.string().nullable().meta({ description: "The next page; null on the last one." }),
      })
      .register(COMPONENTS, { id: "UserGroupListReply" }),
    replyDescription: "A page of user groups.",
    replyExamples: { page: [{ success: 1, user_groups: [EXAMPLE_GROUP], next_cursor: null }] },
    codes: ["query_too_expensive"],
    async handle({ services, caller, request, reply }) {
      const query = parse(QUERY.strict(), request.query);
      const page = parsePage({ ...query.limit, ...query.cursor }, { field: ORDER.field, kind: SORT.kind });
      const filter = { ...query.user_group_id, ...query.data_source_provided_id, ...query.schema_id };
      const { items, hasMore } = await services.listing.page(caller, filter, ORDER, page);
      const last = hasMore ? items.at(-1) : undefined;
      const next = last ? toCursor(ORDER.field, positionOf(last, SORT)) : null;
      const groups = items.map(
        (group) =>
          `{${writeGroup(group, null)},"version":${group.version},"updated_at":"${group.updatedAt.toISOString()}"}`,
      );
      reply.type("application/json; charset=utf-8");
      return `{"success":1,"user_groups":[${groups.join(",")}],"next_cursor":${JSON.stringify(next)}}`;
    },
  },
} satisfies Readonly<Record<string, Operation>>;

/** @throws DomainError `invalid_field` */
function parseLimit(sent: string, field: FieldPath) {
  const first = Number(sent);
  if (/^[1-9]\d{0,2}$/.test(sent) && first <= MAX_PAGE_SIZE) return { first };
  throw invalidField(field, `must be a whole number from 1 to ${MAX_PAGE_SIZE}`);
}
