import type { Config } from "../config/config.js";
import type { App } from "./app.js";

/** Text printed to stdout at start-up. Contains secrets only on the first start with an embedded database. */
export function startUpText(app: Pick<App, "url" | "serverVersion" | "demo">, config: Config): string {
  const database =
    config.databaseUrl === undefined ? `embedded, data in ${config.dataDir}` : "from DATABASE_URL";
  const lines = [
    `The user group service is listening on ${app.url} (PostgreSQL ${app.serverVersion}, ${database}).`,
  ];
  if (app.demo) lines.push(...demoLines(app.url, app.demo));
  if (config.graphqlPlayground) lines.push(`Playground: ${app.url}/graphql`);
  if (config.console) lines.push(`Console: ${app.url}/console`);
  if (config.docs) lines.push(`Documentation: ${app.url}/docs`);
  return `${lines.join("\n")}\n`;
}

function demoLines(url: string, demo: NonNullable<App["demo"]>): string[] {
  const body = {
    user_group_id: "acme",
    name: "Acme Inc.",
    mapping: { sales: demo.dataSourceProvidedId },
    properties: { color: "#0b6e4f", currency: "EUR" },
  };
  const query = `{ userGroup(by: { providedId: "acme" }) { name token properties mapping { schemaId dataSource { name } } } }`;
  return [
    "",
    'Created the account "demo" with two data sources in each environment and these API keys, which are shown only once:',
    `  Customer  ${demo.customerKey}`,
    `  Testing   ${demo.testingKey}`,
    "",
    "Get or create a user group over REST, then read it over GraphQL:",
    "",
    curl("-X GET ", `${url}/api/user`, demo.customerKey, body),
    "",
    curl("", `${url}/graphql`, demo.customerKey, { query }),
    "",
  ];
}

function curl(method: string, url: string, key: string, body: object): string {
  return [
    `curl ${method}'${url}'`,
    `-H 'Authorization: Token ${key}'`,
    "-H 'Content-Type: application/json'",
    `-d '${JSON.stringify(body)}'`,
  ].join(" \\\n  ");
}
