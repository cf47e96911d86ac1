import { Arg, Ctx, Mutation, Resolver } from "type-graphql";
import { parseText } from "../../domain/shared/text-field.js";
import type { WebhookService } from "../../services/webhooks/service.js";
import type { GraphqlContext } from "../shared/context.js";
import { mutateAsAdmin } from "../shared/mutation.js";
import { readNodeIdOf } from "../shared/node-id.js";
import {
  CreateWebhookEndpointInput,
  parseEndpointChanges,
  ReplayWebhookDeliveryInput,
  UpdateWebhookEndpointInput,
  WebhookEndpointInput,
} from "./inputs.js";
import {
  DeleteWebhookEndpointPayload,
  WebhookDeliveryPayload,
  WebhookEndpointPayload,
  WebhookSecretPayload,
} from "./payloads.js";

const INPUT = { description: "What to do." };

@Resolver()
export class WebhookMutations {
  readonly #webhooks: WebhookService;

  constructor(webhooks: WebhookService) {
    this.#webhooks = webhooks;
  }

  @Mutation(() => WebhookSecretPayload, {
    description: "Has events of the environment sent to a URL from now on; needs admin scope.",
  })
  async createWebhookEndpoint(
    @Arg("input", () => CreateWebhookEndpointInput, INPUT) input: CreateWebhookEndpointInput,
    @Ctx() context: GraphqlContext,
  ): Promise<WebhookSecretPayload> {
    return mutateAsAdmin(
      context,
      async (admin) => {
        const { url, events } = input;
        const fields = { name: parseText(input.name, ["name"]), url, events: events ?? [] };
        return new WebhookSecretPayload(await this.#webhooks.create(admin, fields));
      },
      (userErrors) => new WebhookSecretPayload(null, userErrors),
    );
  }

  @Mutation(() => WebhookEndpointPayload, {
    description: "Changes a webhook endpoint; needs admin scope.",
  })
  async updateWebhookEndpoint(
    @Arg("input", () => UpdateWebhookEndpointInput, INPUT) input: UpdateWebhookEndpointInput,
    @Ctx() context: GraphqlContext,
  ): Promise<WebhookEndpointPayload> {
    return mutateAsAdmin(
      context,
      async (admin) => {
        const id = readNodeIdOf("WebhookEndpoint", input.id);
        return new WebhookEndpointPayload(
          await this.#webhooks.update(admin, id, parseEndpointChanges(input)),
        );
      },
      (userErrors) => new WebhookEndpointPayload(null, userErrors),
    );
  }

  @Mutation(() => WebhookSecretPayload, {
    description:
      "Gives a webhook endpoint a new secret; for a day, events are signed with the old one as well. Needs admin scope.",
  })
  async rotateWebhookSecret(
    @Arg("input", () => WebhookEndpointInput, INPUT) input: WebhookEndpointInput,
    @Ctx() context: GraphqlContext,
  ): Promise<WebhookSecretPayload> {
    return mutateAsAdmin(
      context,
      async (admin) => {
        const id = readNodeIdOf("WebhookEndpoint", input.id);
        return new WebhookSecretPayload(await this.#webhooks.rotateSecret(admin, id));
      },
      (userErrors) => new WebhookSecretPayload(null, userErrors),
    );
  }

  @Mutation(() => DeleteWebhookEndpointPayload, {
    description: "Deletes a webhook endpoint with its deliveries; needs admin scope.",
  })
  async deleteWebhookEndpoint(
    @Arg("input", () => WebhookEndpointInput, INPUT) input: WebhookEndpointInput,
    @Ctx() context: GraphqlContext,
  ): Promise<DeleteWebhookEndpointPayload> {
    return mutateAsAdmin(
      context,
      async (admin) => {
        await this.#webhooks.delete(admin, readNodeIdOf("WebhookEndpoint", input.id));
        return new DeleteWebhookEndpointPayload(input.id);
      },
      (userErrors) => new DeleteWebhookEndpointPayload(null, userErrors),
    );
  }

  @Mutation(() => WebhookDeliveryPayload, {
    description:
      "Sends a dead or delivered webhook once more, under the same event id; one that is pending stays as it is. Needs admin scope.",
  })
  async replayWebhookDelivery(
    @Arg("input", () => ReplayWebhookDeliveryInput, INPUT) input: ReplayWebhookDeliveryInput,
    @Ctx() context: GraphqlContext,
  ): Promise<WebhookDeliveryPayload> {
    return mutateAsAdmin(
      context,
      async (admin) => {
        const id = readNodeIdOf("WebhookDelivery", input.id);
        return new WebhookDeliveryPayload(await this.#webhooks.replay(admin, id));
      },
      (userErrors) => new WebhookDeliveryPayload(null, userErrors),
    );
  }
}
