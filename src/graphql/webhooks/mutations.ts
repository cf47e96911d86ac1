import { Ctx, ID, Mutation, Resolver } from "type-graphql";
import { parseText } from "../../domain/shared/text-field.js";
import type { IssuedSecret } from "../../services/webhooks/service.js";
import type { GraphqlContext } from "../shared/context.js";
import { mutateAsAdmin } from "../shared/mutation.js";
import { parseNodeIdOfType } from "../shared/node-id.js";
import { createPayloadType, Input } from "../shared/payload.js";
import {
  CreateWebhookEndpointInput,
  DeleteWebhookEndpointInput,
  parseEndpointChanges,
  ReplayWebhookDeliveryInput,
  RotateWebhookSecretInput,
  SendTestWebhookInput,
  UpdateWebhookEndpointInput,
} from "./inputs.js";
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

const CreateWebhookEndpointPayload = createPayloadType<WebhookSecretValues>("createWebhookEndpoint", {
  webhookEndpoint: ENDPOINT,
  secret: SECRET,
});

const RotateWebhookSecretPayload = createPayloadType<WebhookSecretValues>("rotateWebhookSecret", {
  webhookEndpoint: ENDPOINT,
  secret: SECRET,
});

const UpdateWebhookEndpointPayload = createPayloadType<WebhookEndpointValues>("updateWebhookEndpoint", {
  webhookEndpoint: ENDPOINT,
});

const DeleteWebhookEndpointPayload = createPayloadType<{ readonly deletedWebhookEndpointId: string }>(
  "deleteWebhookEndpoint",
  {
    deletedWebhookEndpointId: [
      () => ID,
      "The global ID of the deleted webhook endpoint; null if the mutation failed.",
    ],
  },
);

const SendTestWebhookPayload = createPayloadType<{
  readonly webhookDelivery: WebhookDeliveryView;
}>("sendTestWebhook", {
  webhookDelivery: [
    () => WebhookDeliveryView,
    "The delivery of the test event; null if the mutation failed.",
  ],
});

const ReplayWebhookDeliveryPayload = createPayloadType<{
  readonly webhookDelivery: WebhookDeliveryView;
}>("replayWebhookDelivery", {
  webhookDelivery: [() => WebhookDeliveryView, "The webhook delivery; null if the mutation failed."],
});

@Resolver()
export class WebhookMutations {
  @Mutation(() => CreateWebhookEndpointPayload, {
    description:
      "Creates a webhook endpoint, which receives the environment's events from now on. Requires admin scope.",
  })
  async createWebhookEndpoint(
    @Input(() => CreateWebhookEndpointInput) input: CreateWebhookEndpointInput,
    @Ctx() context: GraphqlContext,
  ): Promise<object> {
    return mutateAsAdmin(context, CreateWebhookEndpointPayload, async (admin, { webhooks }) => {
      const { url, events } = input;
      const fields = { name: parseText(input.name, ["name"]), url, events: events ?? [] };
      return viewSecret(await webhooks.create(admin, fields));
    });
  }

  @Mutation(() => UpdateWebhookEndpointPayload, {
    description: "Updates a webhook endpoint. Omitted fields keep their values. Requires admin scope.",
  })
  async updateWebhookEndpoint(
    @Input(() => UpdateWebhookEndpointInput) input: UpdateWebhookEndpointInput,
    @Ctx() context: GraphqlContext,
  ): Promise<object> {
    return mutateAsAdmin(context, UpdateWebhookEndpointPayload, async (admin, { webhooks }) => {
      const id = parseNodeIdOfType("WebhookEndpoint", input.id);
      return {
        webhookEndpoint: new WebhookEndpointView(
          await webhooks.update(admin, id, parseEndpointChanges(input)),
        ),
      };
    });
  }

  @Mutation(() => RotateWebhookSecretPayload, {
    description:
      "Rotates a webhook endpoint's secret. For a day, events are signed with the old secret as well. Requires admin scope.",
  })
  async rotateWebhookSecret(
    @Input(() => RotateWebhookSecretInput) input: RotateWebhookSecretInput,
    @Ctx() context: GraphqlContext,
  ): Promise<object> {
    return mutateAsAdmin(context, RotateWebhookSecretPayload, async (admin, { webhooks }) => {
      const id = parseNodeIdOfType("WebhookEndpoint", input.id);
      return viewSecret(await webhooks.rotateSecret(admin, id));
    });
  }

  @Mutation(() => DeleteWebhookEndpointPayload, {
    description: "Deletes a webhook endpoint and its deliveries. Requires admin scope.",
  })
  async deleteWebhookEndpoint(
    @Input(() => DeleteWebhookEndpointInput) input: DeleteWebhookEndpointInput,
    @Ctx() context: GraphqlContext,
  ): Promise<object> {
    return mutateAsAdmin(context, DeleteWebhookEndpointPayload, async (admin, { webhooks }) => {
      await webhooks.delete(admin, parseNodeIdOfType("WebhookEndpoint", input.id));
      return { deletedWebhookEndpointId: input.id };
    });
  }

  @Mutation(() => SendTestWebhookPayload, {
    description:
      "Sends a test event, `webhook_endpoint.test`, to an enabled webhook endpoint. Has no effect while an earlier one is pending. Requires admin scope.",
  })
  async sendTestWebhook(
    @Input(() => SendTestWebhookInput) input: SendTestWebhookInput,
    @Ctx() context: GraphqlContext,
  ): Promise<object> {
    return mutateAsAdmin(context, SendTestWebhookPayload, async (admin, { webhooks }) => {
      const id = parseNodeIdOfType("WebhookEndpoint", input.id);
      return { webhookDelivery: new WebhookDeliveryView(await webhooks.sendTest(admin, id)) };
    });
  }

  @Mutation(() => ReplayWebhookDeliveryPayload, {
    description:
      "Sends a dead or delivered webhook delivery again, with the same event ID. Has no effect on a pending one. Requires admin scope.",
  })
  async replayWebhookDelivery(
    @Input(() => ReplayWebhookDeliveryInput) input: ReplayWebhookDeliveryInput,
    @Ctx() context: GraphqlContext,
  ): Promise<object> {
    return mutateAsAdmin(context, ReplayWebhookDeliveryPayload, async (admin, { webhooks }) => {
      const id = parseNodeIdOfType("WebhookDelivery", input.id);
      return { webhookDelivery: new WebhookDeliveryView(await webhooks.replay(admin, id)) };
    });
  }
}

function viewSecret({ endpoint, secret }: IssuedSecret) {
  return { webhookEndpoint: new WebhookEndpointView(endpoint), secret };
}
