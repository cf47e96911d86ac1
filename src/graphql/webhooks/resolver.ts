import { Arg, Args, Ctx, FieldResolver, Int, Query, Resolver, Root } from "type-graphql";
import { requireAdmin } from "../../domain/accounts/scopes.js";
import type { SortOrder } from "../../domain/shared/pagination.js";
import type { WebhookEndpointSortField } from "../../domain/webhooks/list.js";
import { ConnectionArguments } from "../shared/connection-arguments.js";
import { sourceOf } from "../shared/connection-type.js";
import { type GraphqlContext, requireSession } from "../shared/context.js";
import { nullable } from "../shared/nullable.js";
import {
  parseDeliveryFilter,
  parseWebhookEndpointFilter,
  WebhookDeliveryFilterInput,
  WebhookEndpointFilterInput,
  WebhookEndpointOrder,
} from "./list-inputs.js";
import { pendingDeliveryCounts, webhookEndpointsById } from "./loaders.js";
import {
  WebhookDeliveryConnection,
  WebhookDeliveryView,
  WebhookEndpointConnection,
  WebhookEndpointHealthView,
  WebhookEndpointView,
} from "./types.js";

@Resolver(() => WebhookDeliveryView)
export class WebhookResolver {
  @Query(() => WebhookEndpointConnection, {
    description: "The environment's webhook endpoints. Requires admin scope.",
  })
  webhookEndpoints(
    @Args(() => ConnectionArguments) page: ConnectionArguments,
    @Arg("filter", () => WebhookEndpointFilterInput, nullable("Filters the endpoints."))
    filterInput: WebhookEndpointFilterInput | null | undefined,
    @Arg(
      "orderBy",
      () => WebhookEndpointOrder,
      nullable("The order of the endpoints. Defaults to `CREATED_AT`, ascending."),
    )
    orderBy: SortOrder<WebhookEndpointSortField> | null | undefined,
    @Ctx() context: GraphqlContext,
  ) {
    const admin = requireAdmin(requireSession(context).caller);
    const filter = parseWebhookEndpointFilter(filterInput);
    return new WebhookEndpointConnection(
      sourceOf(context.services.webhooks.endpoints, admin, page, { filter, orderBy }),
    );
  }

  @Query(() => WebhookDeliveryConnection, {
    description: "The environment's webhook deliveries, newest first. Requires admin scope.",
  })
  webhookDeliveries(
    @Args(() => ConnectionArguments) page: ConnectionArguments,
    @Arg("filter", () => WebhookDeliveryFilterInput, nullable("Filters the deliveries."))
    filterInput: WebhookDeliveryFilterInput | null | undefined,
    @Ctx() context: GraphqlContext,
  ) {
    const admin = requireAdmin(requireSession(context).caller);
    const filter = parseDeliveryFilter(filterInput);
    return new WebhookDeliveryConnection(
      sourceOf(context.services.webhooks.deliveries, admin, page, { filter }),
    );
  }

  @FieldResolver(
    () => WebhookEndpointView,
    nullable("The receiving endpoint; null if it was deleted in the meantime."),
  )
  async endpoint(
    @Root() { endpointId }: WebhookDeliveryView,
    @Ctx() context: GraphqlContext,
  ): Promise<WebhookEndpointView | null> {
    const endpoint = await webhookEndpointsById(requireSession(context).loaders).load(endpointId);
    return endpoint && new WebhookEndpointView(endpoint);
  }
}

@Resolver(() => WebhookEndpointHealthView)
export class WebhookHealthResolver {
  @FieldResolver(() => Int, {
    description:
      "The number of pending deliveries, including those of a disabled endpoint; 1000 stands for 1000 or more.",
  })
  async pendingDeliveries(
    @Root() { endpointId }: WebhookEndpointHealthView,
    @Ctx() context: GraphqlContext,
  ): Promise<number> {
    return pendingDeliveryCounts(requireSession(context).loaders).load(endpointId);
  }
}
