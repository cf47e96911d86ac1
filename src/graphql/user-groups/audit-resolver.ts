import { Args, Ctx, FieldResolver, Resolver, Root } from "type-graphql";
import { requireAdmin } from "../../domain/accounts/scopes.js";
import { auditCountsOfGroups, auditLogsOfGroups, sessionDaysOfGroups } from "../audit/loaders.js";
import { AuditLogArguments, DaysArguments, parseAuditFilter, parseDays } from "../audit/resolver.js";
import { AuditEntryConnection, EmbedSessionDayView } from "../audit/types.js";
import { sourceOf } from "../shared/connection-type.js";
import { type GraphqlContext, requireSession } from "../shared/context.js";
import { UserGroupView } from "./type.js";

@Resolver(() => UserGroupView)
export class UserGroupAuditResolver {
  @FieldResolver(() => AuditEntryConnection, {
    description: "The user group's entries in the audit log, newest first. Requires admin scope.",
  })
  auditLog(
    @Root() { group }: UserGroupView,
    @Args(() => AuditLogArguments) list: AuditLogArguments,
    @Ctx() context: GraphqlContext,
  ) {
    const { caller, loaders } = requireSession(context);
    requireAdmin(caller);
    const source = sourceOf(context.services.auditLog.list, context, list, {});
    const filter = parseAuditFilter(list.filter);
    return new AuditEntryConnection({
      ...source,
      load: async (page) =>
        loaders.budget.spendPage(await auditLogsOfGroups(loaders).load(group.id, { filter, page })),
      count: () => auditCountsOfGroups(loaders).load(group.id, filter),
    });
  }

  @FieldResolver(() => [EmbedSessionDayView], {
    description:
      "The number of the user group's embed sessions that were created on each of the last days, oldest first; the last one is today. Requires admin scope.",
  })
  async embedSessionDays(
    @Root() { group }: UserGroupView,
    @Args(() => DaysArguments) days: DaysArguments,
    @Ctx() context: GraphqlContext,
  ): Promise<EmbedSessionDayView[]> {
    const { caller, loaders } = requireSession(context);
    requireAdmin(caller);
    return sessionDaysOfGroups(loaders).load(group.id, parseDays(days));
  }
}
