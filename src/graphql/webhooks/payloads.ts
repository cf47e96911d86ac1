import { ID } from "type-graphql";
import { createPayloadType } from "../shared/payload.js";
import { WebhookDeliveryView, WebhookEndpointView } from "./types.js";

const ENDPOINT = [() => WebhookEndpointView, "The webhook endpoint; null if the mutation failed."] as const;

export const WebhookSecretPayload = createPayloadType<{
  webhookEndpoint: WebhookEndpointView;
  secret: string;
}>("WebhookSecretPayload", "A webhook endpoint with its new secret.", {
  webhookEndpoint: ENDPOINT,
  secret: [
    () => String,
    "The secret that verifies signatures, `whsec_…` (Standard Webhooks). It cannot be retrieved later; null if the mutation failed.",
  ],
});

export const WebhookEndpointPayload = createPayloadType<{ webhookEndpoint: WebhookEndpointView }>(
  "WebhookEndpointPayload",
  "The result of `updateWebhookEndpoint`.",
  { webhookEndpoint: ENDPOINT },
);

export const DeleteWebhookEndpointPayload = createPayloadType<{ deletedWebhookEndpointId: string }>(
  "DeleteWebhookEndpointPayload",
  "The result of `deleteWebhookEndpoint`.",
  {
    deletedWebhookEndpointId: [
      () => ID,
      "The global ID of the deleted webhook endpoint; null if the mutation failed.",
    ],
  },
);

export const WebhookDeliveryPayload = createPayloadType<{ webhookDelivery: WebhookDeliveryView }>(
  "WebhookDeliveryPayload",
  "The result of `replayWebhookDelivery`.",
  { webhookDelivery: [() => WebhookDeliveryView, "The webhook delivery; null if the mutation failed."] },
);
