import { GraphQLDateTime } from "graphql-scalars";
import { Field, Int, ObjectType } from "type-graphql";
import type { WebhookDisabledReason, WebhookEndpoint } from "../../domain/webhooks/webhook.js";
import { createEnum } from "../shared/create-enum.js";

const WebhookEndpointStatusEnum = createEnum<Status>(
  "WebhookEndpointStatus",
  "Whether a webhook endpoint accepts deliveries.",
  {
    UNKNOWN: [
      "unknown",
      "Nothing was sent yet, or not since the endpoint was enabled or its URL was changed.",
    ],
    HEALTHY: ["healthy", "The last attempt succeeded."],
    FAILING: ["failing", "The last attempt failed."],
    DISABLED: ["disabled", "Nothing is sent."],
  },
);

const WebhookDisabledReasonEnum = createEnum<WebhookDisabledReason>(
  "WebhookDisabledReason",
  "Why a webhook endpoint is disabled.",
  {
    ADMIN: ["admin", "An admin has disabled it."],
    GONE: ["gone", "It answered 410."],
    FAILING: ["failing", "Every attempt has failed for days."],
  },
);

type Status = "unknown" | "healthy" | "failing" | "disabled";

@ObjectType("WebhookEndpointHealth", { description: "How a webhook endpoint has answered." })
export class WebhookEndpointHealthView {
  @Field(() => WebhookEndpointStatusEnum, { description: "Whether the endpoint accepts deliveries." })
  readonly status: Status;

  @Field(() => GraphQLDateTime, {
    nullable: true,
    description: "When an attempt last succeeded, to within ten seconds; null when none has.",
  })
  readonly lastSuccessAt: Date | null;

  @Field(() => GraphQLDateTime, {
    nullable: true,
    description: "When an attempt last failed; null when none has.",
  })
  readonly lastFailureAt: Date | null;

  @Field(() => String, {
    nullable: true,
    description: "Why the last failed attempt failed; null when none has.",
  })
  readonly lastError: string | null;

  @Field(() => Int, { description: "The number of failed attempts since the last success." })
  readonly consecutiveFailures: number;

  @Field(() => GraphQLDateTime, {
    nullable: true,
    description: "When the first of these attempts failed; null when the last attempt succeeded.",
  })
  readonly failingSince: Date | null;

  @Field(() => GraphQLDateTime, {
    nullable: true,
    description:
      "After several failures in a row nothing is sent until this time, then one delivery at a time until one succeeds.",
  })
  readonly pausedUntil: Date | null;

  @Field(() => WebhookDisabledReasonEnum, {
    nullable: true,
    description:
      "Why the endpoint is disabled; null while it is enabled, or when the reason was not recorded.",
  })
  readonly disabledReason: WebhookDisabledReason | null;

  /** Internal, for the resolver of `pendingDeliveries`. */
  readonly endpointId: number;

  constructor({ id, disabledAt, disabledReason, health }: WebhookEndpoint) {
    this.endpointId = id;
    this.status = statusOf(disabledAt, health);
    this.lastSuccessAt = health.lastSuccessAt;
    this.lastFailureAt = health.lastFailureAt;
    this.lastError = health.lastError;
    this.consecutiveFailures = health.consecutiveFailures;
    this.failingSince = health.failingSince;
    this.pausedUntil = health.pausedUntil;
    this.disabledReason = disabledReason;
  }
}

function statusOf(disabledAt: Date | null, health: WebhookEndpoint["health"]): Status {
  if (disabledAt) return "disabled";
  if (health.consecutiveFailures > 0) return "failing";
  return health.lastSuccessAt ? "healthy" : "unknown";
}
