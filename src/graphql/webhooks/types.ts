import { GraphQLDateTime } from "graphql-scalars";
import { Field, ID, Int, ObjectType } from "type-graphql";
import {
  TEST_EVENT,
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
import { nullable } from "../shared/nullable.js";
import { GraphQLJSON } from "../shared/raw-json.js";
import { viewHealth, WebhookEndpointHealthView } from "./health-type.js";

export const WebhookEventEnum = createActionEnum(
  "WebhookEvent",
  "The type of a webhook event.",
  WEBHOOK_EVENTS,
  [
    [
      TEST_EVENT,
      "A test event that an admin has sent with `sendTestWebhook`, whatever events the endpoint receives.",
    ],
  ],
);

export const WebhookDeliveryStateEnum = createEnum<WebhookDeliveryState>(
  "WebhookDeliveryState",
  "The state of a webhook delivery.",
  {
    PENDING: ["pending", "The delivery waits for its first or next attempt."],
    DELIVERED: ["delivered", "The endpoint accepted the delivery."],
    DEAD: [
      "dead",
      "The endpoint did not accept the delivery in time. It is sent again only if it is replayed.",
    ],
  },
);

@ObjectType("WebhookEndpoint", {
  implements: NodeView,
  description:
    "A URL that receives the environment's events. Its secret is returned only on creation and rotation.",
})
export class WebhookEndpointView extends NodeView {
  @Field(() => String, { description: "A name that describes the purpose of the endpoint." })
  readonly name!: string;

  @Field(() => String, { description: "The URL to which events are sent by POST." })
  readonly url!: string;

  @Field(() => [WebhookEventEnum], { description: "The types of events that are sent; empty for all." })
  readonly events!: readonly WebhookEvent[];

  @Field(
    () => GraphQLDateTime,
    nullable(
      "The time when the endpoint was disabled, by an admin, because it responded with 410 or because it failed for several days; null if it is enabled.",
    ),
  )
  readonly disabledAt!: Date | null;

  @Field(() => WebhookEndpointHealthView, { description: "The endpoint's delivery health." })
  readonly health!: WebhookEndpointHealthView;

  @Field(() => GraphQLDateTime, { description: "The time when the endpoint was created." })
  readonly createdAt!: Date;

  constructor(endpoint: WebhookEndpoint) {
    const { id, ...fields } = endpoint;
    super("WebhookEndpoint", id);
    Object.assign(this, { ...fields, health: viewHealth(endpoint) } satisfies Omit<
      WebhookEndpointView,
      "id"
    >);
  }
}

@ObjectType("WebhookDelivery", {
  implements: NodeView,
  description:
    "The delivery of an event to an endpoint. Deliveries are deleted after `RETAIN_WEBHOOK_DELIVERY_DAYS`, 30 by default.",
})
export class WebhookDeliveryView extends NodeView {
  @Field(() => ID, {
    description: "The event ID, sent as `webhook-id`. It is the same for all endpoints and attempts.",
  })
  readonly eventId!: string;

  @Field(() => WebhookEventEnum, { description: "The type of the event." })
  readonly event!: WebhookEvent | typeof TEST_EVENT;

  @Field(() => GraphQLJSON, { description: "The request body." })
  readonly payload!: unknown;

  @Field(() => WebhookDeliveryStateEnum, { description: "The state of the delivery." })
  readonly state!: WebhookDeliveryState;

  @Field(() => Int, { description: "The number of attempts since the event or the last replay." })
  readonly attempts!: number;

  @Field(
    () => GraphQLDateTime,
    nullable(
      "The earliest time of the next attempt; null if there is none. Earlier events of the same subject are sent first.",
    ),
  )
  readonly nextAttemptAt!: Date | null;

  @Field(() => Int, nullable("The HTTP status of the last attempt; null if there was no response."))
  readonly lastStatus!: number | null;

  @Field(() => String, nullable("The error of the last attempt; null if it succeeded."))
  readonly lastError!: string | null;

  @Field(() => GraphQLDateTime, { description: "The time of the event." })
  readonly createdAt!: Date;

  @Field(
    () => GraphQLDateTime,
    nullable("The time when the endpoint accepted the delivery; null if it has not."),
  )
  readonly deliveredAt!: Date | null;

  /** Internal, for the resolver of `endpoint`. */
  readonly endpointId!: number;

  constructor({ id, ...delivery }: WebhookDelivery) {
    super("WebhookDelivery", id);
    Object.assign(this, {
      ...delivery,
      payload: JSON.parse(delivery.payload),
      nextAttemptAt: delivery.state === "pending" ? delivery.nextAttemptAt : null,
    } satisfies Omit<WebhookDeliveryView, "id">);
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
