import { GraphQLDateTime } from "graphql-scalars";
import { Field, Int, ObjectType } from "type-graphql";
import type { WebhookDisabledReason, WebhookEndpoint } from "../../domain/webhooks/webhook.js";
import { createEnum } from "../shared/create-enum.js";
import { nullable } from "../shared/nullable.js";

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

export function viewHealth(endpoint: WebhookEndpoint): WebhookEndpointHealthView {
  const { id: endpointId, disabledAt, disabledReason, health } = endpoint;
  return { ...health, endpointId, disabledReason, status: statusOf(disabledAt, health) };
}

function statusOf(disabledAt: Date | null, health: WebhookEndpoint["health"]): Status {
  if (disabledAt) return "disabled";
  if (health.consecutiveFailures > 0) return "failing";
  return health.lastSuccessAt ? "healthy" : "unknown";
}
