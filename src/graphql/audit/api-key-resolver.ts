import { Ctx, FieldResolver, Resolver, Root } from "type-graphql";
import { requireAdmin } from "../../domain/accounts/scopes.js";
import { DEFAULT_AUDIT_DAYS } from "../../domain/audit/entry.js";
import { ApiKeyView } from "../accounts/api-key-types.js";
import { type GraphqlContext, requireSession } from "../shared/context.js";
import { parseNodeIdOfType } from "../shared/node-id.js";
import { auditDaysByKey } from "./loaders.js";
import { AuditDayView } from "./types.js";

@Resolver(() => ApiKeyView)
export class ApiKeyAuditResolver {
  @FieldResolver(() => [AuditDayView], {
    description: `The number of changes and embed sessions that were made with the key on each of the last ${DEFAULT_AUDIT_DAYS} days, oldest first; the last one is today. Reads are not counted. Requires admin scope.`,
  })
  async auditDays(@Root() { id }: ApiKeyView, @Ctx() context: GraphqlContext): Promise<AuditDayView[]> {
    const { caller, loaders } = requireSession(context);
    requireAdmin(caller);
    const counted = await auditDaysByKey(loaders).load(parseNodeIdOfType("ApiKey", id));
    return counted.map((day) => new AuditDayView(day));
  }
}
