import { Arg, Args, Ctx, Query, Resolver } from "type-graphql";
import { requireAdmin } from "../../domain/accounts/scopes.js";
import type { AuditEntry } from "../../domain/audit/entry.js";
import type { AuditLog } from "../../services/audit/log.js";
import { ConnectionArguments } from "../shared/connection-arguments.js";
import { type GraphqlContext, requireSession } from "../shared/context.js";
import { AuditEntryConnection, AuditFilterInput, parseAuditFilter } from "./types.js";

const SORT_FIELD = "auditEntry.createdAt";

@Resolver()
export class AuditResolver {
  readonly #log: AuditLog;

  constructor(log: AuditLog) {
    this.#log = log;
  }

  @Query(() => AuditEntryConnection, {
    description: "Every change in the environment, newest first; needs admin scope.",
  })
  auditLog(
    @Args(() => ConnectionArguments) page: ConnectionArguments,
    @Arg("filter", () => AuditFilterInput, { nullable: true, description: "Which entries." })
    filterInput: AuditFilterInput | null | undefined,
    @Ctx() context: GraphqlContext,
  ) {
    const admin = requireAdmin(requireSession(context).caller);
    const filter = parseAuditFilter(filterInput);
    return new AuditEntryConnection({
      page,
      sort: { field: SORT_FIELD, kind: "time", idKind: "serial" },
      positionOf: ({ createdAt, id }: AuditEntry) => ({ value: createdAt.toISOString(), id }),
      load: (request) => this.#log.list(admin, filter, request),
      count: () => this.#log.count(admin, filter),
    });
  }
}
