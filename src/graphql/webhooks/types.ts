import { GraphQLDateTime } from "graphql-scalars";
import { Field, ID, Int, ObjectType } from "type-graphql";
import {
  TEST_EVENT,
  WEBHOOK_EVENTS,
  type WebhookDelivery,
  type WebhookDeliveryState,
  type WebhookDisabledReason,
  type WebhookEndpoint,
  type WebhookEvent,
} from "../../domain/webhooks/webhook.js";
import { createActionEnum } from "../audit/action-enum.js";
import { createConnectionType } from "../shared/connection-type.js";
import { createEnum } from "../shared/create-enum.js";
import { NodeView } from "../shared/node.js";
import { nullable } from "../shared/nullable.js";
import { GraphQLJSON, RawJson } from "../shared/raw-json.js";

const WebhookEndpointStatusEnum = createEnum<Status>(
  "WebhookEndpointStatus",
  "The status of a webhook endpoint.",
  {
    UNKNOWN: [
      "unknown",
      "No attempt was made since the endpoint was created or enabled, or its URL was changed.",
    ],
    HEALTHY: ["healthy", "The last attempt succeeded."],
    FAILING: ["failing", "The last attempt failed."],
    DISABLED: ["disabled", "The endpoint is disabled and receives no deliveries."],
  },
);

const WebhookDisabledReasonEnum = createEnum<WebhookDisabledReason>(
  "WebhookDisabledReason",
  "The reason why a webhook endpoint is disabled.",
  {
    ADMIN: ["admin", "An admin disabled the endpoint."],
    GONE: ["gone", "The endpoint responded with 410."],
    FAILING: ["failing", "Every attempt failed for several days."],
  },
);

type Status = "unknown" | "healthy" | "failing" | "disabled";

@ObjectType("WebhookEndpointHealth", { description: "The delivery health of a webhook endpoint." })
export class WebhookEndpointHealthView {
  @Field(() => WebhookEndpointStatusEnum, { description: "The endpoint's status." })
  readonly status!: Status;

  @Field(
    () => GraphQLDateTime,
    nullable("The time of the last successful attempt, accurate to ten seconds; null if there was none."),
  )
  readonly lastSuccessAt!: Date | null;

  @Field(() => GraphQLDateTime, nullable("The time of the last failed attempt; null if there was none."))
  readonly lastFailureAt!: Date | null;

  @Field(() => String, nullable("The error of the last failed attempt; null if there was none."))
  readonly lastError!: string | null;

  @Field(() => Int, { description: "The number of failed attempts since the last success." })
  readonly consecutiveFailures!: number;

  @Field(
    () => GraphQLDateTime,
    nullable(
      "The time of the first failed attempt since the last success; null if the last attempt succeeded.",
    ),
  )
  readonly failingSince!: Date | null;

  @Field(
    () => GraphQLDateTime,
    nullable(
      "The time until which deliveries are paused after consecutive failures; then they are sent one at a time until one succeeds. Null if deliveries are not paused.",
    ),
  )
  readonly pausedUntil!: Date | null;

  @Field(
    () => WebhookDisabledReasonEnum,
    nullable(
      "The reason why the endpoint is disabled; null if it is enabled or the reason was not recorded.",
    ),
  )
  readonly disabledReason!: WebhookDisabledReason | null;

  /** Internal, for the resolver of `pendingDeliveries`. */
  readonly endpointId!: number;
}

function viewHealth(endpoint: WebhookEndpoint): WebhookEndpointHealthView {
  const { id: endpointId, disabledAt, disabledReason, health } = endpoint;
  return { ...health, endpointId, disabledReason, status: statusOf(disabledAt, health) };
}

function statusOf(disabledAt: Date | null, health: WebhookEndpoint["health"]): Status {
  if (disabledAt) return "disabled";
  if (health.consecutiveFailures > 0) return "failing";
  return health.lastSuccessAt ? "healthy" : "unknown";
}

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

  @Field(() => Int, {
    description:
      "The version, which each change of a field that can be edited increments; deliveries, pauses and new secrets do not.",
  })
  readonly version!: number;

  @Field(() => GraphQLDateTime, { description: "The time when the endpoint was created." })
  readonly createdAt!: Date;

  constructor(endpoint: WebhookEndpoint) {
    const { id, ...others } = endpoint;
    super("WebhookEndpoint", id);
    const fields: Omit<WebhookEndpointView, "id"> = { ...others, health: viewHealth(endpoint) };
    Object.assign(this, fields);
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
      payload: new RawJson(delivery.payload),
      nextAttemptAt: delivery.state === "pending" ? delivery.nextAttemptAt : null,
    } satisfies Omit<WebhookDeliveryView, "id">);
  }
}

export const WebhookEndpointConnection = createConnectionType("WebhookEndpoint", WebhookEndpointView);

export const WebhookDeliveryConnection = createConnectionType("WebhookDelivery", WebhookDeliveryView);
