import type { ProcessEnvironment } from "../../config/config.js";
import { MAX_PAGE_SIZE, type Page, type PageRequest } from "../../domain/shared/pagination.js";
import type {
  WebhookDelivery,
  WebhookDeliveryState,
  WebhookEndpoint,
  WebhookEvent,
} from "../../domain/webhooks/webhook.js";
import type { IssuedSecret } from "../../services/webhooks/service.js";
import type { AccountChoice } from "../shared/account.js";
import type { Output } from "../shared/output.js";
import { type AuthoredChoice, withServices } from "../shared/services.js";
import { formatTable } from "../shared/table.js";

const ENDPOINT_COLUMNS = ["ID", "NAME", "URL", "EVENTS", "STATE", "LAST SUCCESS", "LAST ERROR"];
const DELIVERY_COLUMNS = ["ID", "ENDPOINT", "EVENT", "STATE", "ATTEMPTS", "STATUS", "CREATED", "ERROR"];
const ORDER = { field: "createdAt", direction: "ascending" } as const;
const ALL: PageRequest = { size: MAX_PAGE_SIZE, from: "start", after: null, before: null };

export async function listWebhooks(
  settings: ProcessEnvironment,
  choice: AccountChoice,
  output: Output,
): Promise<void> {
  const { items } = await withServices(settings, choice, ({ webhooks }, admin) =>
    // An environment has fewer endpoints than a page.
    webhooks.list(admin, {}, ORDER, ALL),
  );
  await output.print(items.map(endpointView), formatTable([ENDPOINT_COLUMNS, ...items.map(endpointRow)]));
}

export async function createWebhook(
  settings: ProcessEnvironment,
  url: string,
  options: AuthoredChoice & { readonly name: string; readonly events?: readonly WebhookEvent[] },
  output: Output,
): Promise<void> {
  const fields = { name: options.name, url, events: options.events ?? [] };
  const issued = await withServices(settings, options, ({ webhooks }, admin) =>
    webhooks.create(admin, fields),
  );
  await printSecret(issued, output);
}

export async function setWebhookEnabled(
  settings: ProcessEnvironment,
  { id, isEnabled }: { readonly id: number; readonly isEnabled: boolean },
  options: AuthoredChoice,
  output: Output,
): Promise<void> {
  const endpoint = await withServices(settings, options, ({ webhooks }, admin) =>
    webhooks.update(admin, id, { enabled: isEnabled }),
  );
  await output.print(endpointView(endpoint), `${isEnabled ? "enabled" : "disabled"} ${id}\n`);
}

export async function deleteWebhook(
  settings: ProcessEnvironment,
  id: number,
  options: AuthoredChoice,
  output: Output,
): Promise<void> {
  await withServices(settings, options, ({ webhooks }, admin) => webhooks.delete(admin, id));
  await output.print({ deleted: id }, `deleted ${id}\n`);
}

export async function rotateWebhookSecret(
  settings: ProcessEnvironment,
  id: number,
  options: AuthoredChoice,
  output: Output,
): Promise<void> {
  const issued = await withServices(settings, options, ({ webhooks }, admin) =>
    webhooks.rotateSecret(admin, id),
  );
  await printSecret(issued, output);
}

export async function sendTestWebhook(
  settings: ProcessEnvironment,
  id: number,
  options: AuthoredChoice,
  output: Output,
): Promise<void> {
  const delivery = await withServices(settings, options, ({ webhooks }, admin) =>
    webhooks.sendTest(admin, id),
  );
  await printDelivery(delivery, output);
}

export async function listDeliveries(
  settings: ProcessEnvironment,
  options: AccountChoice & {
    readonly endpoint?: number;
    readonly state?: WebhookDeliveryState;
    readonly limit: number;
  },
  output: Output,
): Promise<void> {
  const { endpoint, state, limit } = options;
  const filter = {
    ...(endpoint === undefined ? {} : { endpointId: endpoint }),
    ...(state === undefined ? {} : { state }),
  };
  const deliveries = await withServices(settings, options, async ({ webhooks }, admin) => {
    const all: WebhookDelivery[] = [];
    let hasMore = true;
    while (hasMore && all.length < limit) {
      const last = all.at(-1);
      const page: PageRequest = {
        ...ALL,
        size: Math.min(MAX_PAGE_SIZE, limit - all.length),
        after: last ? { value: last.id, id: last.id } : null,
      };
      const found: Page<WebhookDelivery> = await webhooks.listDeliveries(admin, filter, page);
      all.push(...found.items);
      hasMore = found.hasMore;
    }
    return all;
  });
  await output.print(
    deliveries.map(deliveryView),
    formatTable([DELIVERY_COLUMNS, ...deliveries.map(deliveryRow)]),
  );
}

export async function replayWebhookDelivery(
  settings: ProcessEnvironment,
  id: number,
  options: AuthoredChoice,
  output: Output,
): Promise<void> {
  const delivery = await withServices(settings, options, ({ webhooks }, admin) => webhooks.replay(admin, id));
  await printDelivery(delivery, output);
}

async function printDelivery(delivery: WebhookDelivery, output: Output): Promise<void> {
  await output.print(deliveryView(delivery), `delivery ${delivery.id} is ${delivery.state}\n`);
}

/** Prints only the secret as text, so that a shell can store it. */
async function printSecret({ endpoint, secret }: IssuedSecret, output: Output): Promise<void> {
  process.stderr.write(`endpoint ${endpoint.id}\n`);
  await output.print({ ...endpointView(endpoint), secret }, `${secret}\n`);
}

function endpointView({
  id,
  name,
  url,
  events,
  disabledAt,
  disabledReason,
  health,
  createdAt,
}: WebhookEndpoint) {
  return {
    id,
    name,
    url,
    events,
    enabled: disabledAt === null,
    disabled_reason: disabledReason,
    last_success_at: health.lastSuccessAt,
    last_error: health.lastError,
    created_at: createdAt,
  };
}

function endpointRow({
  id,
  name,
  url,
  events,
  disabledAt,
  disabledReason,
  health,
}: WebhookEndpoint): string[] {
  const { lastSuccessAt, lastError } = health;
  const state = disabledAt ? `disabled${disabledReason ? ` (${disabledReason})` : ""}` : "enabled";
  const shownEvents = events.length === 0 ? "all" : events.join(" ");
  return [
    String(id),
    name,
    url,
    shownEvents,
    state,
    lastSuccessAt?.toISOString() ?? "never",
    lastError ?? "-",
  ];
}

function deliveryView(delivery: WebhookDelivery) {
  return {
    id: delivery.id,
    endpoint_id: delivery.endpointId,
    event_id: delivery.eventId,
    event: delivery.event,
    state: delivery.state,
    attempts: delivery.attempts,
    last_status: delivery.lastStatus,
    last_error: delivery.lastError,
    created_at: delivery.createdAt,
    delivered_at: delivery.deliveredAt,
  };
}

function deliveryRow(delivery: WebhookDelivery): string[] {
  const { id, endpointId, event, state, attempts, lastStatus, createdAt, lastError } = delivery;
  const numbers = [String(id), String(endpointId)];
  return [
    ...numbers,
    event,
    state,
    String(attempts),
    String(lastStatus ?? "-"),
    createdAt.toISOString(),
    lastError ?? "-",
  ];
}
