import { Arg, Ctx, ID, Query, Resolver } from "type-graphql";
import { invalidField } from "../../domain/shared/errors.js";
import { MAX_PAGE_SIZE } from "../../domain/shared/page.js";
import { apiKeysById } from "../accounts/api-key-loaders.js";
import { ApiKeyView } from "../accounts/api-key-types.js";
import { auditEntriesById } from "../audit/loaders.js";
import { AuditEntryView } from "../audit/types.js";
import { dataSourcesById } from "../data-sources/loaders.js";
import { DataSourceView } from "../data-sources/type.js";
import { type GraphqlContext, requireSession, type Session } from "../shared/context.js";
import { parseNodeId } from "../shared/node-id.js";
import { NodeView } from "../shared/node-type.js";
import { nullable } from "../shared/nullable.js";
import { siteConfigs } from "../site-configs/loaders.js";
import { SiteConfigRevisionView, SiteConfigView } from "../site-configs/type.js";
import { userGroupsById } from "../user-groups/loaders.js";
import { UserGroupView } from "../user-groups/type.js";
import { webhookDeliveriesById, webhookEndpointsById } from "../webhooks/loaders.js";
import { WebhookDeliveryView, WebhookEndpointView } from "../webhooks/types.js";

@Resolver()
export class NodeResolver {
  @Query(() => NodeView, nullable("The object with this global ID; null if it does not exist."))
  async node(
    @Arg("id", () => ID, { description: "The global ID." }) id: string,
    @Ctx() context: GraphqlContext,
  ): Promise<NodeView | null> {
    return load(requireSession(context), id);
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
    return Promise.all(ids.map((id) => load(session, id)));
  }
}

async function load({ caller, loaders }: Session, nodeId: string): Promise<NodeView | null> {
  const node = parseNodeId(nodeId);
  switch (node?.type) {
    case "UserGroup": {
      const group = await userGroupsById(loaders).load(node.id);
      return group && new UserGroupView(group);
    }
    case "DataSource": {
      const source = await dataSourcesById(loaders).load(node.id);
      return source && new DataSourceView(source);
    }
    case "ApiKey": {
      // API keys are visible to admins only, as in the API key list.
      const key = caller.scope === "admin" ? await apiKeysById(loaders).load(node.id) : null;
      return key && new ApiKeyView(key);
    }
    case "SiteConfig": {
      const siteConfig = await siteConfigs(loaders).byId.load(node.id);
      return siteConfig && new SiteConfigView(siteConfig);
    }
    case "SiteConfigRevision": {
      const ref = { siteConfigId: node.id, revision: node.part ?? 0 };
      const revision = await siteConfigs(loaders).revisions.load(ref);
      return revision && new SiteConfigRevisionView(revision);
    }
    case "AuditEntry": {
      const entry = caller.scope === "admin" ? await auditEntriesById(loaders).load(node.id) : null;
      return entry && new AuditEntryView(entry);
    }
    case "WebhookEndpoint": {
      const endpoint = caller.scope === "admin" ? await webhookEndpointsById(loaders).load(node.id) : null;
      return endpoint && new WebhookEndpointView(endpoint);
    }
    case "WebhookDelivery": {
      const delivery = caller.scope === "admin" ? await webhookDeliveriesById(loaders).load(node.id) : null;
      return delivery && new WebhookDeliveryView(delivery);
    }
    case undefined:
      return null;
  }
}
