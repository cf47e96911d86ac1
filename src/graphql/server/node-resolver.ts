import { Arg, Ctx, createUnionType, FieldResolver, ID, Query, Resolver, Root } from "type-graphql";
import { invalidField } from "../../domain/shared/errors.js";
import { MAX_PAGE_SIZE } from "../../domain/shared/pagination.js";
import { loadApiKey } from "../accounts/api-key-loaders.js";
import { ApiKeyView } from "../accounts/api-key-types.js";
import { loadAuditEntry } from "../audit/loaders.js";
import { AuditEntryView } from "../audit/types.js";
import { loadDataSource } from "../data-sources/by.js";
import { DataSourceView } from "../data-sources/type.js";
import { loadSessionTemplate } from "../session-templates/by.js";
import { SessionTemplateView } from "../session-templates/type.js";
import { type GraphqlContext, requireSession, type Session } from "../shared/context.js";
import type { Loaders } from "../shared/loaders.js";
import { type NodeReference, type NodeType, NodeView, parseNodeId } from "../shared/node.js";
import { nullable } from "../shared/nullable.js";
import { siteConfigs } from "../site-configs/loaders.js";
import { SiteConfigRevisionView, SiteConfigView } from "../site-configs/type.js";
import { loadUserGroup } from "../user-groups/by.js";
import { PropertySchemaView } from "../user-groups/property-schema-resolver.js";
import { UserGroupView } from "../user-groups/type.js";
import { loadWebhookDelivery, loadWebhookEndpoint } from "../webhooks/loaders.js";
import { WebhookDeliveryView, WebhookEndpointView } from "../webhooks/types.js";

@Resolver()
export class NodeResolver {
  @Query(() => NodeView, nullable("The object with this global ID; null if it does not exist."))
  async node(
    @Arg("id", () => ID, { description: "The global ID." }) id: string,
    @Ctx() context: GraphqlContext,
  ): Promise<NodeView | null> {
    return loadNode(requireSession(context), id);
  }

  @Query(() => [NodeView], {
    nullable: "items",
    description: `The objects with these global IDs, at most ${MAX_PAGE_SIZE}, in the same order; null for each that does not exist.`,
  })
  async nodes(
    @Arg("ids", () => [ID], { description: "The global IDs." }) ids: string[],
    @Ctx() context: GraphqlContext,
  ): Promise<(NodeView | null)[]> {
    const session = requireSession(context);
    if (ids.length > MAX_PAGE_SIZE) throw invalidField(["ids"], `must have at most ${MAX_PAGE_SIZE} IDs`);
    return Promise.all(ids.map((id) => loadNode(session, id)));
  }
}

const AuditSubject = createUnionType({
  name: "AuditSubject",
  description: "An object whose changes the audit log records.",
  types: () =>
    [
      ApiKeyView,
      DataSourceView,
      PropertySchemaView,
      SessionTemplateView,
      SiteConfigView,
      UserGroupView,
      WebhookEndpointView,
    ] as const,
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

type LoadNode = (session: Session, node: NodeReference) => Promise<NodeView | null>;

/** Types that only admins can list are visible to admins only. */
const LOAD_NODE: Readonly<Record<NodeType, LoadNode>> = {
  UserGroup: byId((loaders, id) => loadUserGroup(loaders, { by: "id", id }), UserGroupView),
  DataSource: byId((loaders, id) => loadDataSource(loaders, { by: "id", id }), DataSourceView),
  ApiKey: forAdmins(byId(loadApiKey, ApiKeyView)),
  AuditEntry: forAdmins(byId(loadAuditEntry, AuditEntryView)),
  WebhookEndpoint: forAdmins(byId(loadWebhookEndpoint, WebhookEndpointView)),
  WebhookDelivery: forAdmins(byId(loadWebhookDelivery, WebhookDeliveryView)),
  SessionTemplate: byId(loadSessionTemplate, SessionTemplateView),
  async PropertySchema({ loaders }, { id }) {
    return id === 1
      ? new PropertySchemaView(await loaders.services.propertySchemas.find(loaders.tenant))
      : null;
  },
  SiteConfig: byId((loaders, id) => siteConfigs(loaders).byId.load(id), SiteConfigView),
  async SiteConfigRevision({ loaders }, { id: siteConfigId, part }) {
    const revision = await siteConfigs(loaders).revisions.load({ siteConfigId, revision: part ?? 0 });
    return revision && new SiteConfigRevisionView(revision);
  },
};

/** Loads an object by global ID; null if it does not exist or the caller may not read it. */
export async function loadNode(session: Session, nodeId: string): Promise<NodeView | null> {
  const node = parseNodeId(nodeId);
  return node && LOAD_NODE[node.type](session, node);
}

function byId<Entity extends object>(
  load: (loaders: Loaders, id: number) => Promise<Entity | null>,
  View: new (entity: Entity) => NodeView,
): LoadNode {
  return async ({ loaders }, { id }) => {
    const entity = await load(loaders, id);
    return entity && new View(entity);
  };
}

function forAdmins(loadNode: LoadNode): LoadNode {
  return async (session, node) => (session.caller.scope === "admin" ? loadNode(session, node) : null);
}
