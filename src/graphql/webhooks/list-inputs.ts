import { Field, ID, InputType } from "type-graphql";
import { parseText } from "../../domain/shared/text-field.js";
import {
  WEBHOOK_ENDPOINT_ORDER,
  type WebhookDeliveryFilter,
  type WebhookEndpointFilter,
} from "../../domain/webhooks/list.js";
import type { WebhookDeliveryState } from "../../domain/webhooks/webhook.js";
import { createOrderInput } from "../shared/list-inputs.js";
import { parseNodeIdOfType } from "../shared/node-id.js";
import { nullable } from "../shared/nullable.js";
import { WebhookDeliveryStateEnum } from "./types.js";

export const WebhookEndpointOrder = createOrderInput(
  "WebhookEndpointOrder",
  "webhook endpoints",
  WEBHOOK_ENDPOINT_ORDER,
);

@InputType("WebhookEndpointFilter", {
  description: "Filters webhook endpoints, which must meet all conditions.",
})
export class WebhookEndpointFilterInput {
  @Field(() => Boolean, nullable("If true, enabled endpoints; if false, disabled ones."))
  readonly isEnabled?: boolean | null;

  @Field(() => String, nullable("Endpoints whose URL contains this text, ignoring case."))
  readonly urlContains?: string | null;
}

/** Parses a filter; null or absent conditions are omitted. @throws DomainError `invalid_field` */
export function parseWebhookEndpointFilter(
  filter: WebhookEndpointFilterInput | null | undefined,
): WebhookEndpointFilter {
  const { isEnabled, urlContains } = filter ?? {};
  return {
    ...(typeof isEnabled === "boolean" ? { isEnabled } : {}),
    ...(urlContains ? { urlContains: parseText(urlContains, ["filter", "urlContains"]) } : {}),
  };
}

@InputType("WebhookDeliveryFilter", {
  description: "Filters webhook deliveries, which must meet all conditions.",
})
export class WebhookDeliveryFilterInput {
  @Field(() => ID, nullable("Deliveries to the endpoint with this global ID."))
  readonly endpointId?: string | null;

  @Field(() => WebhookDeliveryStateEnum, nullable("Deliveries in this state."))
  readonly state?: WebhookDeliveryState | null;
}

export function parseDeliveryFilter(
  input: WebhookDeliveryFilterInput | null | undefined,
): WebhookDeliveryFilter {
  const { endpointId, state } = input ?? {};
  return {
    ...(typeof endpointId === "string"
      ? { endpointId: parseNodeIdOfType("WebhookEndpoint", endpointId) }
      : {}),
    ...(state ? { state } : {}),
  };
}
