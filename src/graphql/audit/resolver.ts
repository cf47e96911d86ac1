import { Arg, Args, Ctx, FieldResolver, Int, Query, Resolver, Root } from "type-graphql";
import { requireAdmin } from "../../domain/accounts/scopes.js";
import { DEFAULT_AUDIT_DAYS, MAX_AUDIT_DAYS } from "../../domain/audit/entry.js";
import { invalidField } from "../../domain/shared/errors.js";
import { loadAuthor } from "../accounts/api-key-loaders.js";
import { ApiKeyView } from "../accounts/api-key-types.js";
import { ConnectionArguments } from "../shared/connection-arguments.js";
import { sourceOf } from "../shared/connection-type.js";
import { type GraphqlContext, requireSession } from "../shared/context.js";
import { nullable } from "../shared/nullable.js";
import {
  AuditDayView,
  AuditEntryConnection,
  AuditEntryView,
  AuditFilterInput,
  parseAuditFilter,
} from "./types.js";

@Resolver(() => AuditEntryView)
export class AuditResolver {
  @Query(() => AuditEntryConnection, {
    description: "The environment's audit log, newest entries first. Requires admin scope.",
  })
  auditLog(
    @Args(() => ConnectionArguments) page: ConnectionArguments,
    @Arg("filter", () => AuditFilterInput, nullable("Filters the entries."))
    filterInput: AuditFilterInput | null | undefined,
    @Ctx() context: GraphqlContext,
  ) {
    const admin = requireAdmin(requireSession(context).caller);
    const filter = parseAuditFilter(filterInput);
    return new AuditEntryConnection(sourceOf(context.services.auditLog.list, admin, page, { filter }));
  }

  @Query(() => [AuditDayView], {
    description:
      "The number of changes in the audit log on each of the last days, oldest first; the last one is today. Embed sessions are not counted. Requires admin scope.",
  })
  async auditDays(
    @Arg("days", () => Int, {
      defaultValue: DEFAULT_AUDIT_DAYS,
      description: `The number of days, at most ${MAX_AUDIT_DAYS}.`,
    })
    days: number,
    @Ctx() context: GraphqlContext,
  ): Promise<AuditDayView[]> {
    const admin = requireAdmin(requireSession(context).caller);
    if (days < 1 || days > MAX_AUDIT_DAYS)
      throw invalidField(["days"], `must be from 1 to ${MAX_AUDIT_DAYS}`);
    const counted = await context.services.auditLog.countDays(admin, days);
    return counted.map((day) => new AuditDayView(day));
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
