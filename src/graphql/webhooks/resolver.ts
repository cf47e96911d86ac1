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
import { parseText } from "../../domain/shared/text-field.js";
import {
  WEBHOOK_ENDPOINT_ORDER,
  type WebhookDeliveryFilter,
  type WebhookDeliveryState,
  type WebhookEndpointFilter,
} from "../../domain/webhooks/webhook.js";
import { sourceOf } from "../shared/connection-type.js";
import { type GraphqlContext, requireSession } from "../shared/context.js";
import { createListArguments, createOrderInput } from "../shared/list-inputs.js";
import { parseNodeIdOfType } from "../shared/node.js";
import { nullable } from "../shared/nullable.js";
import { countPendingDeliveries, loadWebhookEndpoint } from "./loaders.js";
import {
  WebhookDeliveryConnection,
  WebhookDeliveryStateEnum,
  WebhookDeliveryView,
  WebhookEndpointConnection,
  WebhookEndpointHealthView,
  WebhookEndpointView,
} from "./types.js";

@InputType("WebhookEndpointFilter", {
  description: "Filters webhook endpoints, which must meet all conditions.",
})
class WebhookEndpointFilterInput {
  @Field(() => Boolean, nullable("If true, enabled endpoints; if false, disabled ones."))
  readonly isEnabled?: boolean | null;

  @Field(() => String, nullable("Endpoints whose URL contains this text, ignoring case."))
  readonly urlContains?: string | null;
}

@ArgsType()
class WebhookEndpointArguments extends createListArguments(
  "endpoints",
  WebhookEndpointFilterInput,
  createOrderInput("WebhookEndpointOrder", "webhook endpoints", WEBHOOK_ENDPOINT_ORDER),
) {}

@InputType("WebhookDeliveryFilter", {
  description: "Filters webhook deliveries, which must meet all conditions.",
})
class WebhookDeliveryFilterInput {
  @Field(() => ID, nullable("Deliveries to the endpoint with this global ID."))
  readonly endpointId?: string | null;

  @Field(() => WebhookDeliveryStateEnum, nullable("Deliveries in this state."))
  readonly state?: WebhookDeliveryState | null;

  @Field(
    () => Boolean,
    nullable(
      "If true, deliveries whose last attempt failed: those that wait for a retry, and dead ones. If false, the others.",
    ),
  )
  readonly lastAttemptFailed?: boolean | null;
}

@ArgsType()
class WebhookDeliveryArguments extends createListArguments("deliveries", WebhookDeliveryFilterInput) {}

@Resolver(() => WebhookDeliveryView)
export class WebhookResolver {
  @Query(() => WebhookEndpointConnection, {
    description: "The environment's webhook endpoints. Requires admin scope.",
  })
  webhookEndpoints(
    @Args(() => WebhookEndpointArguments) list: WebhookEndpointArguments,
    @Ctx() context: GraphqlContext,
  ) {
    requireAdmin(requireSession(context).caller);
    const { endpoints } = context.services.webhooks;
    return new WebhookEndpointConnection(
      sourceOf(endpoints, context, list, parseEndpointFilter(list.filter)),
    );
  }

  @Query(() => WebhookDeliveryConnection, {
    description: "The environment's webhook deliveries, newest first. Requires admin scope.",
  })
  webhookDeliveries(
    @Args(() => WebhookDeliveryArguments) list: WebhookDeliveryArguments,
    @Ctx() context: GraphqlContext,
  ) {
    requireAdmin(requireSession(context).caller);
    const { deliveries } = context.services.webhooks;
    return new WebhookDeliveryConnection(
      sourceOf(deliveries, context, list, parseDeliveryFilter(list.filter)),
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
    const endpoint = await loadWebhookEndpoint(requireSession(context).loaders, endpointId);
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
    return countPendingDeliveries(requireSession(context).loaders, endpointId);
  }
}

/** Parses a filter; null or absent conditions are omitted. @throws DomainError `invalid_field` */
function parseEndpointFilter(filter: WebhookEndpointFilterInput | null | undefined): WebhookEndpointFilter {
  const { isEnabled, urlContains } = filter ?? {};
  return {
    ...(typeof isEnabled === "boolean" ? { isEnabled } : {}),
    ...(urlContains ? { urlContains: parseText(urlContains, ["filter", "urlContains"]) } : {}),
  };
}

function parseDeliveryFilter(input: WebhookDeliveryFilterInput | null | undefined): WebhookDeliveryFilter {
  const { endpointId, state, lastAttemptFailed } = input ?? {};
  return {
    ...(typeof endpointId === "string"
      ? { endpointId: parseNodeIdOfType("WebhookEndpoint", endpointId) }
      : {}),
    ...(state ? { state } : {}),
    ...(typeof lastAttemptFailed === "boolean" ? { lastAttemptFailed } : {}),
  };
}
