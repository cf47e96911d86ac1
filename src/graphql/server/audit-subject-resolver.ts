import { Ctx, createUnionType, FieldResolver, Resolver, Root } from "type-graphql";
import { ApiKeyView } from "../accounts/api-key-types.js";
import { AuditEntryView } from "../audit/types.js";
import { DataSourceView } from "../data-sources/type.js";
import { type GraphqlContext, requireSession } from "../shared/context.js";
import type { NodeView } from "../shared/node-type.js";
import { nullable } from "../shared/nullable.js";
import { SiteConfigView } from "../site-configs/type.js";
import { UserGroupView } from "../user-groups/type.js";
import { WebhookEndpointView } from "../webhooks/types.js";
import { loadNode } from "./node-resolver.js";

const AuditSubject = createUnionType({
  name: "AuditSubject",
  description: "An object whose changes the audit log records.",
  types: () => [ApiKeyView, DataSourceView, SiteConfigView, UserGroupView, WebhookEndpointView] as const,
});

/** Separate from the other fields of `AuditEntry`, because its types build on the audit log. */
@Resolver(() => AuditEntryView)
export class AuditSubjectResolver {
  @FieldResolver(
    () => AuditSubject,
    nullable("The changed object in its current state; null if it has been deleted since."),
  )
  async subject(
    @Root() { subjectId }: AuditEntryView,
    @Ctx() context: GraphqlContext,
  ): Promise<NodeView | null> {
    return loadNode(requireSession(context), subjectId);
  }
}
