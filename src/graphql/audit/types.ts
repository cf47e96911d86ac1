import { GraphQLDateTime } from "graphql-scalars";
import { Field, ID, Int, ObjectType } from "type-graphql";
import {
  AUDIT_ACTIONS,
  type AuditAction,
  type AuditEntry,
  type AuditFilter,
  type DayCount,
  subjectType,
  type UsageDay,
} from "../../domain/audit/entry.js";
import { createConnectionType } from "../shared/connection-type.js";
import { NodeView, parseNodeId, toNodeId } from "../shared/node.js";
import { nullable } from "../shared/nullable.js";
import { createActionEnum } from "./action-enum.js";

export const AuditActionEnum = createActionEnum(
  "AuditAction",
  "The type of change that an audit log entry records.",
  AUDIT_ACTIONS,
);

@ObjectType("AuditEntry", {
  implements: NodeView,
  description:
    "An audit log entry: the author, time and request of a change. It contains no secrets and no field values.",
})
export class AuditEntryView extends NodeView {
  @Field(() => AuditActionEnum, { description: "The type of the change." })
  readonly action: AuditAction;

  @Field(() => ID, {
    description: "The global ID of the changed object, even if it has been deleted since.",
  })
  readonly subjectId: string;

  @Field(() => String, {
    description:
      "The name of the changed object at that time: an external ID, or the name of an API key, site or webhook endpoint.",
  })
  readonly subjectName: string;

  @Field(
    () => Int,
    nullable("The resulting version of the user group, or revision of the site configuration."),
  )
  readonly subjectVersion: number | null;

  @Field(() => [String], {
    description:
      "The names of the fields that an update changed; of a session template, the paths of changed claims, such as `claims.params.region`.",
  })
  readonly changed: readonly string[];

  @Field(() => String, {
    description:
      "The name of the API key that made the change, or of the operator for changes made directly in the database.",
  })
  readonly actorName: string;

  @Field(() => String, nullable("The request ID, as in the `X-Request-Id` response header."))
  readonly requestId: string | null;

  @Field(
    () => String,
    nullable("The ID of a created session of a template, `TEMPLATE/UUID`; null for anything else."),
  )
  readonly sessionId: string | null;

  @Field(() => ID, nullable("The ID of the bulk change that the entry belongs to; null for another change."))
  readonly bulkChangeId: string | null;

  @Field(() => GraphQLDateTime, { description: "The time of the change." })
  readonly createdAt: Date;

  /** Internal, for the field resolver. */
  readonly actorKeyId: number | null;

  constructor(entry: AuditEntry) {
    super("AuditEntry", entry.id);
    this.action = entry.action;
    this.subjectId = toNodeId(subjectType(entry.action), entry.subjectId);
    this.subjectName = entry.subjectName;
    this.subjectVersion = entry.version;
    this.changed = entry.changed;
    this.actorName = entry.actor.name;
    this.requestId = entry.actor.requestId;
    this.sessionId = entry.sessionId;
    this.bulkChangeId = entry.bulkChangeId;
    this.createdAt = entry.createdAt;
    this.actorKeyId = entry.actor.keyId;
  }
}

@ObjectType("AuditDay", { description: "The number of audit log entries of a day." })
export class AuditDayView implements DayCount {
  @Field(() => String, { description: "The day in UTC, such as `2026-11-22`." })
  readonly date!: string;

  @Field(() => Int, { name: "changes", description: "The number of entries." })
  readonly count!: number;
}

@ObjectType("EmbedSessionDay", { description: "The number of embed sessions of a day." })
export class EmbedSessionDayView implements DayCount {
  @Field(() => String, { description: "The day in UTC, such as `2026-11-22`." })
  readonly date!: string;

  @Field(() => Int, { name: "sessions", description: "The number of created embed sessions." })
  readonly count!: number;
}

@ObjectType("UsageDay", { description: "The usage of a day." })
export class UsageDayView implements UsageDay {
  @Field(() => String, { description: "The day in UTC, such as `2026-11-22`." })
  readonly date!: string;

  @Field(
    () => Int,
    nullable(
      "The number of user groups at the end of the day, or now for today; null for days before the oldest entries of the audit log.",
    ),
  )
  readonly userGroups!: number | null;

  @Field(() => Int, {
    description:
      "The number of created embed sessions; those of user groups that were deleted since may be missing. If more than a thousand user groups have sessions today, today's number is up to seven minutes old.",
  })
  readonly embedSessions!: number;

  @Field(() => Int, {
    description:
      "The number of requests with valid credentials and of operations over WebSockets, without those of the console. They are added up to 10 seconds later.",
  })
  readonly calls!: number;

  @Field(() => Int, {
    description:
      "The number of these calls that failed: the reply had GraphQL errors, `userErrors` or a status of 400 or higher.",
  })
  readonly errors!: number;
}

/** Parses the global ID of a subject. One that is malformed or of another type has no entries. */
export function parseSubject(nodeId: string): NonNullable<AuditFilter["subject"]> {
  const node = parseNodeId(nodeId);
  const actions = AUDIT_ACTIONS.filter((action) => subjectType(action) === node?.type);
  return { id: node?.id ?? 0, actions };
}

export const AuditEntryConnection = createConnectionType("AuditEntry", AuditEntryView);
