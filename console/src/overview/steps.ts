import type { AdminOverviewQuery, OverviewQuery } from "../api/generated/operations.js";
import { serviceUrl, shellQuote } from "../parts/snippet-text.js";
import { hashOf } from "../routing/route.js";
import type { Step } from "./checklist.js";

/** Returns the first steps of an account; without admin scope, those whose state can be read. */
export function stepsOf(data: OverviewQuery, admin: AdminOverviewQuery | null): readonly Step[] {
  const dataSource = data.dataSources.nodes[0]?.providedId ?? "sales";
  const group = data.userGroups.nodes[0]?.providedId ?? "acme";
  const steps: Step[] = [
    {
      title: "Create a data source",
      isDone: data.dataSources.totalCount > 0,
      text: "A data source is what a group's dashboards read, for example one database per region.",
      command: graphql(
        `mutation { createDataSource(input: { providedId: ${JSON.stringify(dataSource)}, name: "Sales" }) { dataSource { id } userErrors { message } } }`,
      ),
      page: { href: hashOf(["data-sources"], { new: "yes" }), label: "Create it here" },
    },
    {
      title: "Create your first group",
      isDone: data.userGroups.totalCount > 0,
      text: "A group is one of your customers. The call returns it with its token, and creates it the first time.",
      command: rest("GET", "/api/user", {
        user_group_id: group,
        name: "Acme Inc.",
        properties: { color: "#0b6e4f", currency: "EUR" },
        mapping: { sales: dataSource },
      }),
      page: { href: hashOf(["new-group"]), label: "Create it here" },
    },
  ];
  if (!admin) return steps;
  return [
    ...steps,
    {
      title: "Embed a dashboard",
      isDone: admin.embedded.nodes.some(({ embedSessionDays }) =>
        embedSessionDays.some(({ sessions }) => sessions > 0),
      ),
      text: "Your back end creates a short-lived embed session for each page view, and passes it to the page.",
      command: rest("POST", "/api/embed-session", { user_group_id: group, expires_in: 900 }),
    },
    {
      title: "Receive changes by webhook",
      isDone: admin.webhookEndpoints.nodes.length > 0,
      text: "A webhook endpoint receives a signed request for each change of a group.",
      command: graphql(
        'mutation { createWebhookEndpoint(input: { name: "My service", url: "https://example.com/webhooks" }) { secret userErrors { message } } }',
      ),
      page: { href: hashOf(["webhooks"], { new: "yes" }), label: "Create it here" },
    },
  ];
}

function graphql(query: string): string {
  return rest("POST", "/graphql", { query });
}

function rest(method: string, path: string, body: object): string {
  return `curl -X ${method} ${serviceUrl(path)} \\
  -H "Authorization: Token $KEY" -H "Content-Type: application/json" \\
  -d ${shellQuote(JSON.stringify(body))}`;
}
