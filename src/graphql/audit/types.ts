import { GraphQLDateTime } from "graphql-scalars";
import { Field, ID, InputType, Int, ObjectType } from "type-graphql";
import {
  AUDIT_ACTIONS,
  type AuditAction,
  type AuditEntry,
  type AuditFilter,
} from "../../domain/audit/entry.js";
import { parseText } from "../../domain/shared/text-field.js";
import { createConnectionType } from "../shared/connection-type.js";
import { DateTimeRangeInput, parseTimeRange } from "../shared/filter-inputs.js";
import { toNodeId } from "../shared/node-id.js";
import { NodeView } from "../shared/node-type.js";
import { createActionEnum } from "./action-enum.js";

const AuditActionEnum = createActionEnum("AuditAction", "What the audit log tells of.", AUDIT_ACTIONS);

@ObjectType("AuditEntry", {
  implements: NodeView,
  description:
    "That something was changed: by whom, when, in which request. It holds no secret and no values.",
})
export class AuditEntryView extends NodeView {
  @Field(() => AuditActionEnum, { description: "What was done." })
  readonly action: AuditAction;

  @Field(() => ID, { description: "The global id of what was changed, which may be gone." })
  readonly subjectId: string;

  @Field(() => String, {
    description:
      "What it was called then: a provided id, the name of an API key, a site or a webhook endpoint.",
  })
  readonly subjectName: string;

  @Field(() => Int, {
    nullable: true,
    description:
      "The version of the user group, or the revision of the site configuration, that the change made.",
  })
  readonly subjectVersion: number | null;

  @Field(() => [String], { description: "The fields that an update changed." })
  readonly changed: readonly string[];

  @Field(() => String, {
    description: "The name of the API key that was used, or of whoever worked at the database.",
  })
  readonly actorName: string;

  @Field(() => ID, {
    nullable: true,
    description: "The global id of that API key; null when there was none.",
  })
  readonly actorKeyId: string | null;

  @Field(() => String, { nullable: true, description: "The id of the request, as in `X-Request-Id`." })
  readonly requestId: string | null;

  @Field(() => GraphQLDateTime, { description: "When it was done." })
  readonly createdAt: Date;

  constructor(entry: AuditEntry) {
    super("AuditEntry", entry.id);
    this.action = entry.action;
    this.subjectId = toNodeId(subjectType(entry.action), entry.subjectId);
    this.subjectName = entry.subjectName;
    this.subjectVersion = entry.version;
    this.changed = entry.changed;
    this.actorName = entry.actor.name;
    this.actorKeyId = entry.actor.keyId === null ? null : toNodeId("ApiKey", entry.actor.keyId);
    this.requestId = entry.actor.requestId;
    this.createdAt = entry.createdAt;
  }
}

@InputType("AuditFilter", { description: "Which entries; every condition must hold." })
export class AuditFilterInput {
  @Field(() => [AuditActionEnum], { nullable: true, description: "One of these was done." })
  readonly actions?: AuditAction[] | null;

  @Field(() => String, { nullable: true, description: "What was changed was called exactly this then." })
  readonly subjectName?: string | null;

  @Field(() => DateTimeRangeInput, { nullable: true, description: "It was done in this time." })
  readonly createdAt?: DateTimeRangeInput | null;
}

/** @throws DomainError `invalid_field` */
export function parseAuditFilter(input: AuditFilterInput | null | undefined): AuditFilter {
  const { actions, subjectName, createdAt } = input ?? {};
  return {
    ...(actions ? { actions } : {}),
    ...(typeof subjectName === "string"
      ? { subjectName: parseText(subjectName, ["filter", "subjectName"]) }
      : {}),
    ...(createdAt ? { createdAt: parseTimeRange(createdAt, "createdAt") } : {}),
  };
}

function subjectType(action: AuditAction) {
  if (action.startsWith("user_group.")) return "UserGroup";
  if (action.startsWith("data_source.")) return "DataSource";
  if (action.startsWith("webhook_endpoint.")) return "WebhookEndpoint";
  return action.startsWith("api_key.") ? "ApiKey" : "SiteConfig";
}

export const AuditEntryConnection = createConnectionType(
  "AuditEntry",
  AuditEntryView,
  (entry: AuditEntry) => new AuditEntryView(entry),
);
