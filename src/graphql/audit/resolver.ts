import {
  Args,
  ArgsType,
  Ctx,
  Field,
  FieldResolver,
  ID,
  InputType,
  Int,
  Query,
  Resolver,
  Root,
} from "type-graphql";
import { requireAdmin } from "../../domain/accounts/scopes.js";
import {
  type AuditAction,
  type AuditFilter,
  DEFAULT_AUDIT_DAYS,
  MAX_AUDIT_DAYS,
} from "../../domain/audit/entry.js";
import { invalidField } from "../../domain/shared/errors.js";
import { parseText } from "../../domain/shared/text-field.js";
import { parseChangeId } from "../../domain/user-groups/bulk-change.js";
import { loadAuthor } from "../accounts/api-key-loaders.js";
import { ApiKeyView } from "../accounts/api-key-types.js";
import { sourceOf } from "../shared/connection-type.js";
import { type GraphqlContext, requireSession } from "../shared/context.js";
import { createListArguments, DateTimeRangeInput, parseTimeRange } from "../shared/list-inputs.js";
import { parseNodeIdOfType } from "../shared/node.js";
import { nullable } from "../shared/nullable.js";
import { loadAuditDays } from "./loaders.js";
import {
  AuditActionEnum,
  AuditDayView,
  AuditEntryConnection,
  AuditEntryView,
  parseSubject,
  UsageDayView,
} from "./types.js";

@InputType("AuditFilter", { description: "Filters audit log entries, which must meet all conditions." })
class AuditFilterInput {
  @Field(() => [AuditActionEnum], nullable("Entries with one of these actions."))
  readonly actions?: AuditAction[] | null;

  @Field(() => [AuditActionEnum], nullable("Entries with none of these actions."))
  readonly excludeActions?: AuditAction[] | null;

  @Field(() => ID, nullable("Entries with this `subjectId`."))
  readonly subjectId?: string | null;

  @Field(() => String, nullable("Entries with exactly this `subjectName`."))
  readonly subjectName?: string | null;

  @Field(() => String, nullable("Entries with exactly this `actorName`."))
  readonly actorName?: string | null;

  @Field(() => String, nullable("Entries of the request with this ID."))
  readonly requestId?: string | null;

  @Field(() => ID, nullable("Entries of the bulk change with this ID."))
  readonly bulkChangeId?: string | null;

  @Field(() => DateTimeRangeInput, nullable("Entries created in this time range."))
  readonly createdAt?: DateTimeRangeInput | null;
}

@ArgsType()
export class AuditLogArguments extends createListArguments("entries", AuditFilterInput) {}

@ArgsType()
export class DaysArguments {
  @Field(() => Int, {
    defaultValue: DEFAULT_AUDIT_DAYS,
    description: `The number of days, at most ${MAX_AUDIT_DAYS}.`,
  })
  readonly days!: number;
}

/** @throws DomainError `invalid_field` */
export function parseDays({ days }: DaysArguments): number {
  if (days >= 1 && days <= MAX_AUDIT_DAYS) return days;
  throw invalidField(["days"], `must be from 1 to ${MAX_AUDIT_DAYS}`);
}

@Resolver(() => AuditEntryView)
export class AuditResolver {
  @Query(() => AuditEntryConnection, {
    description: "The environment's audit log, newest entries first. Requires admin scope.",
  })
  auditLog(@Args(() => AuditLogArguments) list: AuditLogArguments, @Ctx() context: GraphqlContext) {
    requireAdmin(requireSession(context).caller);
    const filter = parseAuditFilter(list.filter);
    return new AuditEntryConnection(sourceOf(context.services.auditLog.list, context, list, filter));
  }

  @Query(() => [AuditDayView], {
    description:
      "The number of changes in the audit log on each of the last days, oldest first; the last one is today. Embed sessions are not counted. Requires admin scope.",
  })
  async auditDays(
    @Args(() => DaysArguments) days: DaysArguments,
    @Ctx() context: GraphqlContext,
  ): Promise<AuditDayView[]> {
    const admin = requireAdmin(requireSession(context).caller);
    return context.services.auditLog.countDays(admin, parseDays(days));
  }

  @Query(() => [UsageDayView], {
    description: "The environment's usage on each of the last days, oldest first; the last one is today.",
  })
  async usageDays(
    @Args(() => DaysArguments) days: DaysArguments,
    @Ctx() context: GraphqlContext,
  ): Promise<UsageDayView[]> {
    const { caller } = requireSession(context);
    return context.services.auditLog.usageDays(caller, parseDays(days));
  }

  @FieldResolver(
    () => ApiKeyView,
    nullable("The API key that made the change; null for changes made directly in the database."),
  )
  async actor(
    @Root() { actorKeyId }: AuditEntryView,
    @Ctx() context: GraphqlContext,
  ): Promise<ApiKeyView | null> {
    return loadAuthor(requireSession(context), actorKeyId);
  }
}

@Resolver(() => ApiKeyView)
export class ApiKeyAuditResolver {
  @FieldResolver(() => [AuditDayView], {
    description: `The number of changes and embed sessions that were made with the key on each of the last ${DEFAULT_AUDIT_DAYS} days, oldest first; the last one is today. Reads are not counted. Requires admin scope.`,
  })
  async auditDays(@Root() { id }: ApiKeyView, @Ctx() context: GraphqlContext): Promise<AuditDayView[]> {
    const { caller, loaders } = requireSession(context);
    requireAdmin(caller);
    return loadAuditDays(loaders, parseNodeIdOfType("ApiKey", id));
  }
}

/** @throws DomainError `invalid_field` */
export function parseAuditFilter(input: AuditFilterInput | null | undefined): AuditFilter {
  const { actions, excludeActions, subjectId, bulkChangeId, createdAt, ...texts } = input ?? {};
  const exact = (name: keyof typeof texts) => {
    const value = texts[name];
    return typeof value === "string" ? { [name]: parseText(value, ["filter", name]) } : {};
  };
  return {
    ...(actions ? { actions } : {}),
    ...(excludeActions ? { excludeActions } : {}),
    ...(typeof subjectId === "string" ? { subject: parseSubject(subjectId) } : {}),
    ...(typeof bulkChangeId === "string"
      ? { bulkChangeId: parseChangeId(bulkChangeId, ["filter", "bulkChangeId"]) }
      : {}),
    ...exact("subjectName"),
    ...exact("actorName"),
    ...exact("requestId"),
    ...(createdAt ? { createdAt: parseTimeRange(createdAt, "createdAt") } : {}),
  };
}
