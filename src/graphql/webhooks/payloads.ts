import { Field, ID, ObjectType } from "type-graphql";
import type { WebhookDelivery, WebhookEndpoint } from "../../domain/webhooks/webhook.js";
import type { IssuedSecret } from "../../services/webhooks/service.js";
import { UserErrorView } from "../shared/user-error-type.js";
import { WebhookDeliveryView, WebhookEndpointView } from "./types.js";

const ENDPOINT = { nullable: true, description: "The endpoint; null when the call failed." } as const;
const USER_ERRORS = { description: "Why the call failed; empty when it did not." };

@ObjectType("WebhookSecretPayload", { description: "The endpoint with the secret that was made for it." })
export class WebhookSecretPayload {
  @Field(() => WebhookEndpointView, ENDPOINT)
  readonly webhookEndpoint: WebhookEndpointView | null;

  @Field(() => String, {
    nullable: true,
    description:
      "What verifies the signatures, `whsec_…` (Standard Webhooks). It is shown only this once; null when the call failed.",
  })
  readonly secret: string | null;

  @Field(() => [UserErrorView], USER_ERRORS)
  readonly userErrors: UserErrorView[];

  constructor(issued: IssuedSecret | null, userErrors: UserErrorView[] = []) {
    this.webhookEndpoint = issued && new WebhookEndpointView(issued.endpoint);
    this.secret = issued?.secret ?? null;
    this.userErrors = userErrors;
  }
}

@ObjectType("WebhookEndpointPayload", { description: "The webhook endpoint after a change." })
export class WebhookEndpointPayload {
  @Field(() => WebhookEndpointView, ENDPOINT)
  readonly webhookEndpoint: WebhookEndpointView | null;

  @Field(() => [UserErrorView], USER_ERRORS)
  readonly userErrors: UserErrorView[];

  constructor(endpoint: WebhookEndpoint | null, userErrors: UserErrorView[] = []) {
    this.webhookEndpoint = endpoint && new WebhookEndpointView(endpoint);
    this.userErrors = userErrors;
  }
}

@ObjectType("DeleteWebhookEndpointPayload", { description: "The webhook endpoint that was deleted." })
export class DeleteWebhookEndpointPayload {
  @Field(() => ID, {
    nullable: true,
    description: "The global id of the deleted endpoint; null when the call failed.",
  })
  readonly deletedWebhookEndpointId: string | null;

  @Field(() => [UserErrorView], USER_ERRORS)
  readonly userErrors: UserErrorView[];

  constructor(id: string | null, userErrors: UserErrorView[] = []) {
    this.deletedWebhookEndpointId = id;
    this.userErrors = userErrors;
  }
}

@ObjectType("WebhookDeliveryPayload", { description: "The webhook delivery after a change." })
export class WebhookDeliveryPayload {
  @Field(() => WebhookDeliveryView, {
    nullable: true,
    description: "The delivery; null when the call failed.",
  })
  readonly webhookDelivery: WebhookDeliveryView | null;

  @Field(() => [UserErrorView], USER_ERRORS)
  readonly userErrors: UserErrorView[];

  constructor(delivery: WebhookDelivery | null, userErrors: UserErrorView[] = []) {
    this.webhookDelivery = delivery && new WebhookDeliveryView(delivery);
    this.userErrors = userErrors;
  }
}
