import { ID } from "type-graphql";
import { createPayloadType } from "../shared/payload.js";
import { WebhookDeliveryView, WebhookEndpointView } from "./types.js";

const ENDPOINT = [() => WebhookEndpointView, "The endpoint; null when the call failed."] as const;

export const WebhookSecretPayload = createPayloadType<{
  webhookEndpoint: WebhookEndpointView;
  secret: string;
}>("WebhookSecretPayload", "The endpoint with the secret that was made for it.", "call", {
  webhookEndpoint: ENDPOINT,
  secret: [
    () => String,
    "What verifies the signatures, `whsec_…` (Standard Webhooks). It is shown only this once; null when the call failed.",
  ],
});

export const WebhookEndpointPayload = createPayloadType<{ webhookEndpoint: WebhookEndpointView }>(
  "WebhookEndpointPayload",
  "The webhook endpoint after a change.",
  "call",
  { webhookEndpoint: ENDPOINT },
);

export const DeleteWebhookEndpointPayload = createPayloadType<{ deletedWebhookEndpointId: string }>(
  "DeleteWebhookEndpointPayload",
  "The webhook endpoint that was deleted.",
  "call",
  {
    deletedWebhookEndpointId: [() => ID, "The global id of the deleted endpoint; null when the call failed."],
  },
);

export const WebhookDeliveryPayload = createPayloadType<{ webhookDelivery: WebhookDeliveryView }>(
  "WebhookDeliveryPayload",
  "The webhook delivery after a change.",
  "call",
  { webhookDelivery: [() => WebhookDeliveryView, "The delivery; null when the call failed."] },
);
