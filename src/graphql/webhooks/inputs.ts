import { Field, ID, InputType } from "type-graphql";
import { invalidField } from "../../domain/shared/errors.js";
import { parseFields } from "../../domain/shared/field-parsing.js";
import { parseText } from "../../domain/shared/text-field.js";
import type {
  WebhookDeliveryFilter,
  WebhookDeliveryState,
  WebhookEndpointFields,
  WebhookEvent,
} from "../../domain/webhooks/webhook.js";
import { parseNodeIdOfType } from "../shared/node-id.js";
import { WebhookDeliveryStateEnum, WebhookEventEnum } from "./types.js";

@InputType("CreateWebhookEndpointInput", { description: "A new webhook endpoint." })
export class CreateWebhookEndpointInput {
  @Field(() => String, { description: "What the endpoint is for." })
  readonly name!: string;

  @Field(() => String, {
    description: "Where to send the events: an https URL on the public Internet, with no user name in it.",
  })
  readonly url!: string;

  @Field(() => [WebhookEventEnum], {
    nullable: true,
    description: "The events to be told of; all when there are none.",
  })
  readonly events?: WebhookEvent[] | null;
}

@InputType("UpdateWebhookEndpointInput", {
  description: "Changes to a webhook endpoint: fields that are absent stay as they are.",
})
export class UpdateWebhookEndpointInput {
  @Field(() => ID, { description: "The global id of the endpoint." })
  readonly id!: string;

  @Field(() => String, { nullable: true, description: "The new name; null is refused." })
  readonly name?: string | null;

  @Field(() => String, { nullable: true, description: "The new URL; null is refused." })
  readonly url?: string | null;

  @Field(() => [WebhookEventEnum], {
    nullable: true,
    description: "The events to be told of; all when the list is empty; null is refused.",
  })
  readonly events?: WebhookEvent[] | null;

  @Field(() => Boolean, {
    nullable: true,
    description:
      "False: nothing is sent, and events that happen meanwhile are not sent later; null is refused.",
  })
  readonly enabled?: boolean | null;
}

@InputType("WebhookEndpointInput", { description: "Names a webhook endpoint." })
export class WebhookEndpointInput {
  @Field(() => ID, { description: "The global id of the endpoint." })
  readonly id!: string;
}

@InputType("ReplayWebhookDeliveryInput", { description: "The delivery to make again." })
export class ReplayWebhookDeliveryInput {
  @Field(() => ID, { description: "The global id of the delivery." })
  readonly id!: string;
}

@InputType("WebhookDeliveryFilter", { description: "Which deliveries; every condition must hold." })
export class WebhookDeliveryFilterInput {
  @Field(() => ID, { nullable: true, description: "To the endpoint with this global id." })
  readonly endpointId?: string | null;

  @Field(() => WebhookDeliveryStateEnum, { nullable: true, description: "So far have they come." })
  readonly state?: WebhookDeliveryState | null;
}

/** @throws DomainError `invalid_field` */
export function parseEndpointChanges(input: UpdateWebhookEndpointInput): Partial<WebhookEndpointFields> {
  const { name, url, events, enabled } = input;
  return parseFields<Partial<WebhookEndpointFields>>({
    ...(name === undefined ? {} : { name: () => parseText(name, ["name"]) }),
    ...(url === undefined ? {} : { url: () => requireValue(url, "url") }),
    ...(events === undefined ? {} : { events: () => requireValue(events, "events") }),
    ...(enabled === undefined ? {} : { enabled: () => requireValue(enabled, "enabled") }),
  });
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

function requireValue<Value>(value: Value | null, name: string): Value {
  if (value === null) throw invalidField([name], "must not be null");
  return value;
}
