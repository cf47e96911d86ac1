import { type Command, Option } from "commander";
import type { ProcessEnvironment } from "../../config/config.js";
import { WEBHOOK_DELIVERY_STATES, WEBHOOK_EVENTS } from "../../domain/webhooks/webhook.js";
import { addAccountOptions, addAuthorOption, parseName, parsePositive } from "../shared/arguments.js";
import type { RunCommand } from "../shared/run-command.js";

/** Adds the `webhook` commands. */
export function addWebhookCommands(program: Command, environment: ProcessEnvironment, run: RunCommand): void {
  const webhook = program.command("webhook").description("Manage webhook endpoints and their deliveries");

  addAccountOptions(webhook.command("list"))
    .description("List webhook endpoints and their health")
    .action((options) =>
      run(async (output) => (await import("./webhooks.js")).listWebhooks(environment, options, output)),
    );

  addAuthorOption(addAccountOptions(webhook.command("create <url>")))
    .description("Create a webhook endpoint and print its signing secret; it is shown only once")
    .requiredOption("--name <text>", "name of the endpoint", parseName)
    .addOption(new Option("--events <events...>", "event types (default: all)").choices(WEBHOOK_EVENTS))
    .action((url, options) =>
      run(async (output) => (await import("./webhooks.js")).createWebhook(environment, url, options, output)),
    );

  for (const [name, isEnabled, description] of [
    ["enable", true, "Enable a webhook endpoint"],
    ["disable", false, "Disable a webhook endpoint; its events are not stored"],
  ] as const) {
    addAuthorOption(addAccountOptions(webhook.command(name)))
      .argument("<id>", "ID of the endpoint", parsePositive)
      .description(description)
      .action((id, options) =>
        run(async (output) =>
          (await import("./webhooks.js")).setWebhookEnabled(environment, { id, isEnabled }, options, output),
        ),
      );
  }

  addAuthorOption(addAccountOptions(webhook.command("delete")))
    .argument("<id>", "ID of the endpoint", parsePositive)
    .description("Delete a webhook endpoint and its deliveries")
    .action((id, options) =>
      run(async (output) => (await import("./webhooks.js")).deleteWebhook(environment, id, options, output)),
    );

  addAuthorOption(addAccountOptions(webhook.command("rotate-secret")))
    .argument("<id>", "ID of the endpoint", parsePositive)
    .description("Replace the signing secret and print the new one; the old one also signs for a day")
    .action((id, options) =>
      run(async (output) =>
        (await import("./webhooks.js")).rotateWebhookSecret(environment, id, options, output),
      ),
    );

  addAuthorOption(addAccountOptions(webhook.command("test")))
    .argument("<id>", "ID of the endpoint", parsePositive)
    .description("Send a test event, webhook_endpoint.test, to an endpoint")
    .action((id, options) =>
      run(async (output) =>
        (await import("./webhooks.js")).sendTestWebhook(environment, id, options, output),
      ),
    );

  addAccountOptions(webhook.command("deliveries"))
    .description("List deliveries, newest first")
    .option("--endpoint <id>", "list only the deliveries to this endpoint", parsePositive)
    .addOption(new Option("--state <state>", "list only these").choices(WEBHOOK_DELIVERY_STATES))
    .option("--limit <number>", "maximum number of deliveries", parsePositive, 100)
    .action((options) =>
      run(async (output) => (await import("./webhooks.js")).listDeliveries(environment, options, output)),
    );

  addAuthorOption(addAccountOptions(webhook.command("replay")))
    .argument("<id>", "ID of the delivery", parsePositive)
    .description("Deliver a finished delivery again")
    .action((id, options) =>
      run(async (output) =>
        (await import("./webhooks.js")).replayWebhookDelivery(environment, id, options, output),
      ),
    );
}
