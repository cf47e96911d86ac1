import { Field, ID, InputType, Resolver } from "type-graphql";
import type { Admin } from "../../domain/accounts/caller.js";
import { invalidField } from "../../domain/shared/errors.js";
import { parseFields } from "../../domain/shared/field-parsing.js";
import { parseText } from "../../domain/shared/text-field.js";
import type { WebhookEndpointFields, WebhookEvent } from "../../domain/webhooks/webhook.js";
import type { IssuedSecret } from "../../services/webhooks/service.js";
import type { GraphqlContext } from "../shared/context.js";
import { AdminMutation, createIdInput, type IdInput } from "../shared/mutation.js";
import { OptionalField } from "../shared/mutation-input.js";
import { parseNodeIdOfType } from "../shared/node.js";
import { guard, nullable } from "../shared/nullable.js";
import { WebhookDeliveryView, WebhookEndpointView, WebhookEventEnum } from "./types.js";

@InputType("CreateWebhookEndpointInput", { description: "Input for `createWebhookEndpoint`." })
class CreateWebhookEndpointInput {
  @Field(() => String, { description: "A name that describes the purpose of the endpoint." })
  readonly name!: string;

  @Field(() => String, {
    description: "The URL to send events to: an https URL on the public Internet, without a user name.",
  })
  readonly url!: string;

  @Field(
    () => [WebhookEventEnum],
    guard("The types of events to send. If omitted or empty, all events are sent."),
  )
  readonly events?: WebhookEvent[] | null;
}

@InputType("UpdateWebhookEndpointInput", {
  description: "Input for `updateWebhookEndpoint`. Omitted fields keep their values.",
})
class UpdateWebhookEndpointInput {
  @Field(() => ID, { description: "The webhook endpoint's global ID." })
  readonly id!: string;

  @OptionalField(() => String, "The new name. Must not be null.")
  readonly name?: string | null;

  @OptionalField(() => String, "The new URL. Must not be null.")
  readonly url?: string | null;

  @OptionalField(
    () => [WebhookEventEnum],
    "The types of events to send; all if the list is empty. Must not be null.",
  )
  readonly events?: WebhookEvent[] | null;

  @OptionalField(
    () => Boolean,
    "If false, nothing is sent, and events that occur in the meantime are not sent later. Must not be null.",
  )
  readonly enabled?: boolean | null;
}

const RotateWebhookSecretInput = createIdInput("rotateWebhookSecret", "webhook endpoint");
const DeleteWebhookEndpointInput = createIdInput("deleteWebhookEndpoint", "webhook endpoint");
const SendTestWebhookInput = createIdInput("sendTestWebhook", "webhook endpoint");
const ReplayWebhookDeliveryInput = createIdInput("replayWebhookDelivery", "webhook delivery");

const ENDPOINT_PAYLOAD = {
  webhookEndpoint: [
    () => WebhookEndpointView,
    nullable("The webhook endpoint; null if the mutation failed."),
  ],
} as const;
const SECRET_PAYLOAD = {
  ...ENDPOINT_PAYLOAD,
  secret: [
    () => String,
    nullable(
      "The secret that verifies signatures, `whsec_…` (Standard Webhooks). It cannot be retrieved later; null if the mutation failed.",
    ),
  ],
} as const;

@Resolver()
export class WebhookMutations {
  @AdminMutation(
    "Creates a webhook endpoint, which receives the environment's events from now on. Requires admin scope.",
    () => CreateWebhookEndpointInput,
    SECRET_PAYLOAD,
  )
  async createWebhookEndpoint(input: CreateWebhookEndpointInput, admin: Admin, { services }: GraphqlContext) {
    const { url, events } = input;
    const fields = { name: parseText(input.name, ["name"]), url, events: events ?? [] };
    return viewSecret(await services.webhooks.create(admin, fields));
  }

  @AdminMutation(
    "Updates a webhook endpoint. Omitted fields keep their values. Requires admin scope.",
    () => UpdateWebhookEndpointInput,
    ENDPOINT_PAYLOAD,
  )
  async updateWebhookEndpoint(input: UpdateWebhookEndpointInput, admin: Admin, { services }: GraphqlContext) {
    const id = parseNodeIdOfType("WebhookEndpoint", input.id);
    const endpoint = await services.webhooks.update(admin, id, parseEndpointChanges(input));
    return { webhookEndpoint: new WebhookEndpointView(endpoint) };
  }

  @AdminMutation(
    "Rotates a webhook endpoint's secret. For a day, events are signed with the old secret as well. Requires admin scope.",
    () => RotateWebhookSecretInput,
    SECRET_PAYLOAD,
  )
  async rotateWebhookSecret({ id }: IdInput, admin: Admin, { services }: GraphqlContext) {
    const endpointId = parseNodeIdOfType("WebhookEndpoint", id);
    return viewSecret(await services.webhooks.rotateSecret(admin, endpointId));
  }

  @AdminMutation(
    "Deletes a webhook endpoint and its deliveries. Requires admin scope.",
    () => DeleteWebhookEndpointInput,
    {
      deletedWebhookEndpointId: [
        () => ID,
        nullable("The global ID of the deleted webhook endpoint; null if the mutation failed."),
      ],
    },
  )
  async deleteWebhookEndpoint({ id }: IdInput, admin: Admin, { services }: GraphqlContext) {
    await services.webhooks.delete(admin, parseNodeIdOfType("WebhookEndpoint", id));
    return { deletedWebhookEndpointId: id };
  }

  @AdminMutation(
    "Sends a test event, `webhook_endpoint.test`, to an enabled webhook endpoint. Has no effect while an earlier one is pending. Requires admin scope.",
    () => SendTestWebhookInput,
    {
      webhookDelivery: [
        () => WebhookDeliveryView,
        nullable("The delivery of the test event; null if the mutation failed."),
      ],
    },
  )
  async sendTestWebhook({ id }: IdInput, admin: Admin, { services }: GraphqlContext) {
    const delivery = await services.webhooks.sendTest(admin, parseNodeIdOfType("WebhookEndpoint", id));
    return { webhookDelivery: new WebhookDeliveryView(delivery) };
  }

  @AdminMutation(
    "Sends a dead or delivered webhook delivery again, with the same event ID. Has no effect on a pending one. Requires admin scope.",
    () => ReplayWebhookDeliveryInput,
    {
      webhookDelivery: [
        () => WebhookDeliveryView,
        nullable("The webhook delivery; null if the mutation failed."),
      ],
    },
  )
  async replayWebhookDelivery({ id }: IdInput, admin: Admin, { services }: GraphqlContext) {
    const delivery = await services.webhooks.replay(admin, parseNodeIdOfType("WebhookDelivery", id));
    return { webhookDelivery: new WebhookDeliveryView(delivery) };
  }
}

function viewSecret({ endpoint, secret }: IssuedSecret) {
  return { webhookEndpoint: new WebhookEndpointView(endpoint), secret };
}

/** @throws DomainError `invalid_field` */
function parseEndpointChanges(input: UpdateWebhookEndpointInput): Partial<WebhookEndpointFields> {
  const { name, url, events, enabled } = input;
  return parseFields<Partial<WebhookEndpointFields>>({
    ...(name === undefined ? {} : { name: () => parseText(name, ["name"]) }),
    ...(url === undefined ? {} : { url: () => requireValue(url, "url") }),
    ...(events === undefined ? {} : { events: () => requireValue(events, "events") }),
    ...(enabled === undefined ? {} : { enabled: () => requireValue(enabled, "enabled") }),
  });
}

function requireValue<Value>(value: Value | null, name: string): Value {
  if (value === null) throw invalidField([name], "must not be null");
  return value;
}
