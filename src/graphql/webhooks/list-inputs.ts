import { Field, InputType } from "type-graphql";
import { parseText } from "../../domain/shared/text-field.js";
import { WEBHOOK_ENDPOINT_ORDER, type WebhookEndpointFilter } from "../../domain/webhooks/list.js";
import { createOrderInput } from "../shared/list-inputs.js";
import { nullable } from "../shared/nullable.js";

export const WebhookEndpointOrder = createOrderInput(
  "WebhookEndpointOrder",
  "webhook endpoints",
  WEBHOOK_ENDPOINT_ORDER,
);

@InputType("WebhookEndpointFilter", {
  description: "Filters webhook endpoints, which must meet all conditions.",
})
export class WebhookEndpointFilterInput {
  @Field(() => Boolean, nullable("If true, enabled endpoints; if false, disabled ones."))
  readonly isEnabled?: boolean | null;

  @Field(() => String, nullable("Endpoints whose URL contains this text, ignoring case."))
  readonly urlContains?: string | null;
}

/** Parses a filter; null or absent conditions are omitted. @throws DomainError `invalid_field` */
export function parseWebhookEndpointFilter(
  filter: WebhookEndpointFilterInput | null | undefined,
): WebhookEndpointFilter {
  const { isEnabled, urlContains } = filter ?? {};
  return {
    ...(typeof isEnabled === "boolean" ? { isEnabled } : {}),
    ...(urlContains ? { urlContains: parseText(urlContains, ["filter", "urlContains"]) } : {}),
  };
}
