import { Arg, Args, Ctx, Query, Resolver } from "type-graphql";
import { requireAdmin } from "../../domain/accounts/scopes.js";
import type { AuditEntry } from "../../domain/audit/entry.js";
import { ConnectionArguments } from "../shared/connection-arguments.js";
import { type GraphqlContext, requireSession } from "../shared/context.js";
import { nullable } from "../shared/nullable.js";
import { AuditEntryConnection, AuditFilterInput, parseAuditFilter } from "./types.js";

const SORT_FIELD = "auditEntry.createdAt";

@Resolver()
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
    return new AuditEntryConnection({
      page,
      sort: { field: SORT_FIELD, kind: "time", idKind: "serial" },
      positionOf: ({ createdAt, id }: AuditEntry) => ({ value: createdAt.toISOString(), id }),
      load: (request) => context.services.auditLog.list(admin, filter, request),
      count: () => context.services.auditLog.count(admin, filter),
    });
  }
}
