import { ID } from "type-graphql";
import { createPayloadType } from "../shared/payload.js";
import { WebhookDeliveryView, WebhookEndpointView } from "./types.js";

interface WebhookEndpointValues {
  readonly webhookEndpoint: WebhookEndpointView;
}

interface WebhookSecretValues extends WebhookEndpointValues {
  readonly secret: string;
}

const ENDPOINT = [() => WebhookEndpointView, "The webhook endpoint; null if the mutation failed."] as const;
const SECRET = [
  () => String,
  "The secret that verifies signatures, `whsec_…` (Standard Webhooks). It cannot be retrieved later; null if the mutation failed.",
] as const;

export const CreateWebhookEndpointPayload = createPayloadType<WebhookSecretValues>("createWebhookEndpoint", {
  webhookEndpoint: ENDPOINT,
  secret: SECRET,
});

export const RotateWebhookSecretPayload = createPayloadType<WebhookSecretValues>("rotateWebhookSecret", {
  webhookEndpoint: ENDPOINT,
  secret: SECRET,
});

export const UpdateWebhookEndpointPayload = createPayloadType<WebhookEndpointValues>(
  "updateWebhookEndpoint",
  { webhookEndpoint: ENDPOINT },
);

export const DeleteWebhookEndpointPayload = createPayloadType<{ readonly deletedWebhookEndpointId: string }>(
  "deleteWebhookEndpoint",
  {
    deletedWebhookEndpointId: [
      () => ID,
      "The global ID of the deleted webhook endpoint; null if the mutation failed.",
    ],
  },
);

export const SendTestWebhookPayload = createPayloadType<{
  readonly webhookDelivery: WebhookDeliveryView;
}>("sendTestWebhook", {
  webhookDelivery: [
    () => WebhookDeliveryView,
    "The delivery of the test event; null if the mutation failed.",
  ],
});

export const ReplayWebhookDeliveryPayload = createPayloadType<{
  readonly webhookDelivery: WebhookDeliveryView;
}>("replayWebhookDelivery", {
  webhookDelivery: [() => WebhookDeliveryView, "The webhook delivery; null if the mutation failed."],
});
