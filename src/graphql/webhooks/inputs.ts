import { Field, ID, InputType } from "type-graphql";
import { invalidField } from "../../domain/shared/errors.js";
import { parseFields } from "../../domain/shared/field-parsing.js";
import { parseText } from "../../domain/shared/text-field.js";
import type { WebhookDeliveryFilter } from "../../domain/webhooks/list.js";
import type {
  WebhookDeliveryState,
  WebhookEndpointFields,
  WebhookEvent,
} from "../../domain/webhooks/webhook.js";
import { parseNodeIdOfType } from "../shared/node-id.js";
import { nullable } from "../shared/nullable.js";
import { WebhookDeliveryStateEnum, WebhookEventEnum } from "./types.js";

@InputType("CreateWebhookEndpointInput", { description: "Input for `createWebhookEndpoint`." })
export class CreateWebhookEndpointInput {
  @Field(() => String, { description: "A name that describes the purpose of the endpoint." })
  readonly name!: string;

  @Field(() => String, {
    description: "The URL to send events to: an https URL on the public Internet, without a user name.",
  })
  readonly url!: string;

  @Field(
    () => [WebhookEventEnum],
    nullable("The types of events to send. If omitted or empty, all events are sent."),
  )
  readonly events?: WebhookEvent[] | null;
}

@InputType("UpdateWebhookEndpointInput", {
  description: "Input for `updateWebhookEndpoint`. Omitted fields keep their values.",
})
export class UpdateWebhookEndpointInput {
  @Field(() => ID, { description: "The webhook endpoint's global ID." })
  readonly id!: string;

  @Field(() => String, nullable("The new name. Must not be null."))
  readonly name?: string | null;

  @Field(() => String, nullable("The new URL. Must not be null."))
  readonly url?: string | null;

  @Field(
    () => [WebhookEventEnum],
    nullable("The types of events to send; all if the list is empty. Must not be null."),
  )
  readonly events?: WebhookEvent[] | null;

  @Field(
    () => Boolean,
    nullable(
      "If false, nothing is sent, and events that occur in the meantime are not sent later. Must not be null.",
    ),
  )
  readonly enabled?: boolean | null;
}

@InputType("RotateWebhookSecretInput", { description: "Input for `rotateWebhookSecret`." })
export class RotateWebhookSecretInput {
  @Field(() => ID, { description: "The webhook endpoint's global ID." })
  readonly id!: string;
}

@InputType("DeleteWebhookEndpointInput", { description: "Input for `deleteWebhookEndpoint`." })
export class DeleteWebhookEndpointInput {
  @Field(() => ID, { description: "The webhook endpoint's global ID." })
  readonly id!: string;
}

@InputType("ReplayWebhookDeliveryInput", { description: "Input for `replayWebhookDelivery`." })
export class ReplayWebhookDeliveryInput {
  @Field(() => ID, { description: "The webhook delivery's global ID." })
  readonly id!: string;
}

@InputType("SendTestWebhookInput", { description: "Input for `sendTestWebhook`." })
export class SendTestWebhookInput {
  @Field(() => ID, { description: "The webhook endpoint's global ID." })
  readonly id!: string;
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
