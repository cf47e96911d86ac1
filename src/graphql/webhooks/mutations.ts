import { Field, ID, InputType, Int, Resolver } from "type-graphql";
import type { Admin } from "../../domain/accounts/caller.js";
import { invalidField } from "../../domain/shared/errors.js";
import { parseExpectedVersion, parseFields } from "../../domain/shared/field-parsing.js";
import { parseText } from "../../domain/shared/text-field.js";
import type { WebhookEndpointFields, WebhookEvent } from "../../domain/webhooks/webhook.js";
import { type IssuedSecret, MAX_REPLAYS } from "../../services/webhooks/service.js";
import type { GraphqlContext } from "../shared/context.js";
import { AdminMutation, createIdInput, type IdInput } from "../shared/mutation.js";
import { OptionalField } from "../shared/mutation-input.js";
import { parseNodeIdOfType } from "../shared/node.js";
import { guard, nullable, versionGuard } from "../shared/nullable.js";
import { WebhookDeliveryView, WebhookEndpointView, WebhookEventEnum } from "./types.js";

@InputType("CreateWebhookEndpointInput", { description: "Input for `createWebhookEndpoint`." })
class CreateWebhookEndpointInput {
  @Field(() => String, { description: "The purpose of the endpoint: a name, unique within the environment." })
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

  @Field(
    () => Boolean,
    guard("If false, nothing is sent until the endpoint is enabled. If omitted, events are sent."),
  )
  readonly enabled?: boolean | null;
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
    "If false, nothing is sent, and events that occur in the meantime are not sent later. True also ends a pause. Must not be null.",
  )
  readonly enabled?: boolean | null;

  @Field(() => Int, versionGuard("webhook endpoint"))
  readonly expectedVersion?: number | null;
}

@InputType("DeleteWebhookEndpointInput", { description: "Input for `deleteWebhookEndpoint`." })
class DeleteWebhookEndpointInput {
  @Field(() => ID, { description: "The webhook endpoint's global ID." })
  readonly id!: string;

  @Field(() => Int, versionGuard("webhook endpoint"))
  readonly expectedVersion?: number | null;
}

const RotateWebhookSecretInput = createIdInput("rotateWebhookSecret", "webhook endpoint");
const SendTestWebhookInput = createIdInput("sendTestWebhook", "webhook endpoint");
const ReplayWebhookDeliveryInput = createIdInput("replayWebhookDelivery", "webhook delivery");
const ReplayFailedWebhookDeliveriesInput = createIdInput("replayFailedWebhookDeliveries", "webhook endpoint");

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
    const { url, events, enabled } = input;
    const fields = {
      name: parseText(input.name, ["name"]),
      url,
      events: events ?? [],
      enabled: enabled ?? true,
    };
    return viewSecret(await services.webhooks.create(admin, fields));
  }

  @AdminMutation(
    "Updates a webhook endpoint. Omitted fields keep their values. Requires admin scope.",
    () => UpdateWebhookEndpointInput,
    ENDPOINT_PAYLOAD,
  )
  async updateWebhookEndpoint(input: UpdateWebhookEndpointInput, admin: Admin, { services }: GraphqlContext) {
    const id = parseNodeIdOfType("WebhookEndpoint", input.id);
    const expectedVersion = parseExpectedVersion(input);
    const changes = parseEndpointChanges(input);
    const endpoint = await services.webhooks.update(admin, id, changes, expectedVersion);
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
  async deleteWebhookEndpoint(input: DeleteWebhookEndpointInput, admin: Admin, { services }: GraphqlContext) {
    const id = parseNodeIdOfType("WebhookEndpoint", input.id);
    await services.webhooks.delete(admin, id, parseExpectedVersion(input));
    return { deletedWebhookEndpointId: input.id };
  }

  @AdminMutation(
    "Sends a test event, `webhook_endpoint.test`, to an enabled webhook endpoint, also while deliveries are paused, and waits for the response, unless the request has an Idempotency-Key. It is not retried. While an earlier one is being sent, that one is returned. Requires admin scope.",
    () => SendTestWebhookInput,
    {
      webhookDelivery: [
        () => WebhookDeliveryView,
        nullable("The delivery of the test event; null if the mutation failed."),
      ],
      durationMs: [
        () => Int,
        nullable(
          "The duration of the attempt in milliseconds; null if this call did not wait for it: because of its Idempotency-Key, an earlier test event, or `WEBHOOKS=false`.",
        ),
      ],
      reply: [
        () => String,
        nullable("The first line of the response, up to 200 characters; null if there was no response."),
      ],
    },
  )
  async sendTestWebhook({ id }: IdInput, admin: Admin, { services }: GraphqlContext) {
    const endpointId = parseNodeIdOfType("WebhookEndpoint", id);
    const { delivery, attempt } = await services.webhooks.sendTest(admin, endpointId);
    return {
      webhookDelivery: new WebhookDeliveryView(delivery),
      ...(attempt && { durationMs: attempt.durationMs }),
      ...(attempt?.firstLine != null && { reply: attempt.firstLine }),
    };
  }

  @AdminMutation(
    "Sends a webhook delivery again, with the same event ID, or a pending one now, and ends a pause of its endpoint. Has no effect on a pending one that is due within 30 seconds. Requires admin scope.",
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

  @AdminMutation(
    `Sends up to ${MAX_REPLAYS} deliveries of a webhook endpoint whose last attempt failed again, the oldest first, like \`replayWebhookDelivery\`. Repeat it while the number is ${MAX_REPLAYS}: what fails again counts as failed again. Requires admin scope.`,
    () => ReplayFailedWebhookDeliveriesInput,
    {
      ...ENDPOINT_PAYLOAD,
      replayedCount: [
        () => Int,
        nullable("The number of deliveries that are sent again; null if the mutation failed."),
      ],
    },
  )
  async replayFailedWebhookDeliveries({ id }: IdInput, admin: Admin, { services }: GraphqlContext) {
    const endpointId = parseNodeIdOfType("WebhookEndpoint", id);
    const { endpoint, replayedCount } = await services.webhooks.replayFailed(admin, endpointId);
    return { webhookEndpoint: new WebhookEndpointView(endpoint), replayedCount };
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
