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
import { USER_GROUP_ORDER } from "../domain/user-groups/list.js";
import type { UserGroup } from "../domain/user-groups/user-group.js";
import type { Operation } from "./authenticated-routes.js";
import { COMPONENTS, integer, parameter, parse, SUCCESS, TEXT, text } from "./fields.js";
import { curlBlock } from "./openapi.js";
import { EXAMPLE, FIELDS } from "./user-group-schemas.js";
import { writeGroup } from "./user-groups.js";

export const USER_GROUPS_PATH = "/api/user-groups";

const condition = (description: string) => parameter(parseText, { description, schema: TEXT });
const QUERY = z.object({
  limit: parameter(parseLimit, {
    description: "The maximum number of user groups.",
    schema: { type: "integer", minimum: 1, maximum: MAX_PAGE_SIZE, default: DEFAULT_PAGE_SIZE },
  }),
  cursor: parameter((sent) => sent, {
    description: "The `next_cursor` of the previous page.",
    schema: { type: "string" },
  }),
  user_group_id: condition("Only the user group with this ID."),
  data_source_provided_id: condition("Only user groups that are mapped to this data source."),
  schema_id: condition("Only user groups whose mapping has this schema."),
});

const { token: _, ...SHOWN } = FIELDS;
const GROUP = z.object({
  ...SHOWN,
  version: integer({ minimum: 1, description: "The version, as in the `ETag`." }),
  updated_at: text("The time of the last change.").meta({ format: "date-time" }),
});
const EXAMPLE_GROUP = { team_id: 1, name: "Acme Inc.", provided_id: "acme", properties: EXAMPLE, version: 2 };

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
    isForAnyKey: true,
    reply: z
      .object({
        success: SUCCESS,
        user_groups: z.array(GROUP).meta({ description: "At most `limit` user groups." }),
        next_cursor: z.string().nullable().meta({ description: "The next page; null on the last one." }),
      })
      .register(COMPONENTS, { id: "UserGroupListReply" }),
    replyDescription: "A page of user groups.",
    replyExamples: {
      page: [
        {
          success: 1,
          user_groups: [{ ...EXAMPLE_GROUP, updated_at: "2026-11-23T09:30:00.000Z" }],
          next_cursor: null,
        },
      ],
    },
    codes: ["query_too_expensive"],
    async handle({ services, caller, request, reply }) {
      const query = parse(QUERY.strict(), request.query);
      const { limit = DEFAULT_PAGE_SIZE, cursor = null, user_group_id: id, schema_id: schemaId } = query;
      const { data_source_provided_id: dataSource } = query;
      const filter = {
        ...(id !== undefined && { providedIds: [id] }),
        ...(schemaId !== undefined && { schemaId }),
        ...(dataSource !== undefined && {
          dataSource: { by: "providedId", providedId: dataSource } as const,
        }),
      };
      const order = USER_GROUP_ORDER.default;
      const sort = USER_GROUP_ORDER.fields[order.field];
      const page = parsePage({ first: limit, after: cursor }, { field: order.field, kind: sort.kind });
      const { items, hasMore } = await services.listing.page(caller, filter, order, page);
      const last = hasMore ? items.at(-1) : undefined;
      const next = last ? toCursor(order.field, positionOf(last, sort)) : null;
      reply.type("application/json; charset=utf-8");
      return `{"success":1,"user_groups":[${items.map(write).join(",")}],"next_cursor":${JSON.stringify(next)}}`;
    },
  },
} satisfies Readonly<Record<string, Operation>>;

function write(group: UserGroup): string {
  const { version, updatedAt } = group;
  return `{${writeGroup(group, null)},"version":${version},"updated_at":"${updatedAt.toISOString()}"}`;
}

/** @throws DomainError `invalid_field` */
function parseLimit(sent: string, field: FieldPath): number {
  const limit = Number(sent);
  if (/^[1-9]\d{0,2}$/.test(sent) && limit <= MAX_PAGE_SIZE) return limit;
  throw invalidField(field, `must be a whole number from 1 to ${MAX_PAGE_SIZE}`);
}
