import { GraphQLDateTime, GraphQLJSON } from "graphql-scalars";
import { Field, ID, Int, ObjectType } from "type-graphql";
import {
  WEBHOOK_EVENTS,
  type WebhookDelivery,
  type WebhookDeliveryState,
  type WebhookEndpoint,
  type WebhookEvent,
} from "../../domain/webhooks/webhook.js";
import { createActionEnum } from "../audit/action-enum.js";
import { createConnectionType } from "../shared/connection-type.js";
import { createEnum } from "../shared/create-enum.js";
import { NodeView } from "../shared/node-type.js";
import { WebhookEndpointHealthView } from "./health-type.js";

export const WebhookEventEnum = createActionEnum(
  "WebhookEvent",
  "What webhook endpoints are told of.",
  WEBHOOK_EVENTS,
);

export const WebhookDeliveryStateEnum = createEnum<WebhookDeliveryState>(
  "WebhookDeliveryState",
  "How far a webhook delivery has come.",
  {
    PENDING: ["pending", "It is to be sent, for the first time or again."],
    DELIVERED: ["delivered", "The endpoint has taken it."],
    DEAD: ["dead", "The endpoint has not taken it, or it expired; it is not sent again by itself."],
  },
);

@ObjectType("WebhookEndpoint", {
  implements: NodeView,
  description: "Where events of the environment are sent; its secret is shown only when it is made.",
})
export class WebhookEndpointView extends NodeView {
  @Field(() => String, { description: "What the endpoint is for." })
  readonly name: string;

  @Field(() => String, { description: "Where the events are sent by POST." })
  readonly url: string;

  @Field(() => [WebhookEventEnum], { description: "The events that it is told of; empty for all." })
  readonly events: readonly WebhookEvent[];

  @Field(() => GraphQLDateTime, {
    nullable: true,
    description:
      "Since when nothing is sent: an admin has disabled the endpoint, it answered 410, or it failed for days; null while it is enabled.",
  })
  readonly disabledAt: Date | null;

  @Field(() => WebhookEndpointHealthView, { description: "How the endpoint has answered." })
  readonly health: WebhookEndpointHealthView;

  @Field(() => GraphQLDateTime, { description: "When the endpoint was made." })
  readonly createdAt: Date;

  constructor(endpoint: WebhookEndpoint) {
    super("WebhookEndpoint", endpoint.id);
    this.name = endpoint.name;
    this.url = endpoint.url;
    this.events = endpoint.events;
    this.disabledAt = endpoint.disabledAt;
    this.health = new WebhookEndpointHealthView(endpoint);
    this.createdAt = endpoint.createdAt;
  }
}

@ObjectType("WebhookDelivery", {
  implements: NodeView,
  description: "An event on its way to an endpoint; kept for 30 days.",
})
export class WebhookDeliveryView extends NodeView {
  @Field(() => ID, {
    description:
      "The id of the event, sent as `webhook-id`: the same for every endpoint and in every attempt.",
  })
  readonly eventId: string;

  @Field(() => WebhookEventEnum, { description: "What has happened." })
  readonly event: WebhookEvent;

  @Field(() => GraphQLJSON, { description: "What is sent." })
  readonly payload: unknown;

  @Field(() => WebhookDeliveryStateEnum, { description: "How far it has come." })
  readonly state: WebhookDeliveryState;

  @Field(() => Int, { description: "How often it was sent, since it was last replayed." })
  readonly attempts: number;

  @Field(() => GraphQLDateTime, {
    nullable: true,
    description:
      "When it may be sent next; null when it is not sent again. Earlier events of the same subject go first.",
  })
  readonly nextAttemptAt: Date | null;

  @Field(() => Int, {
    nullable: true,
    description: "The HTTP status of the last attempt; null when there was no answer.",
  })
  readonly lastStatus: number | null;

  @Field(() => String, {
    nullable: true,
    description: "Why the last attempt failed; null when it did not.",
  })
  readonly lastError: string | null;

  @Field(() => GraphQLDateTime, { description: "When the event happened." })
  readonly createdAt: Date;

  @Field(() => GraphQLDateTime, {
    nullable: true,
    description: "When the endpoint took it; null if it has not.",
  })
  readonly deliveredAt: Date | null;

  /** Internal, for the resolver of `endpoint`. */
  readonly endpointId: number;

  constructor(delivery: WebhookDelivery) {
    super("WebhookDelivery", delivery.id);
    this.eventId = delivery.eventId;
    this.event = delivery.event;
    this.payload = JSON.parse(delivery.payload);
    this.state = delivery.state;
    this.attempts = delivery.attempts;
    this.nextAttemptAt = delivery.state === "pending" ? delivery.nextAttemptAt : null;
    this.lastStatus = delivery.lastStatus;
    this.lastError = delivery.lastError;
    this.createdAt = delivery.createdAt;
    this.deliveredAt = delivery.deliveredAt;
    this.endpointId = delivery.endpointId;
  }
}

export const WebhookEndpointConnection = createConnectionType(
  "WebhookEndpoint",
  WebhookEndpointView,
  (endpoint: WebhookEndpoint) => new WebhookEndpointView(endpoint),
);

export const WebhookDeliveryConnection = createConnectionType(
  "WebhookDelivery",
  WebhookDeliveryView,
  (delivery: WebhookDelivery) => new WebhookDeliveryView(delivery),
);
