import { ExactNumber } from "../api/exact-json.js";
import type { GroupPartsFragment } from "../api/generated/operations.js";
import { serviceUrl, shellQuote } from "../parts/snippet-text.js";

type Group = Pick<GroupPartsFragment, "providedId" | "name" | "properties" | "mapping">;

const PATH = "/api/user";
const INDENT = "  ";

/** Returns the curl command that writes the group. It reads the API key from the variable `KEY`. */
export function curlOf(group: Group): string {
  return `curl -X PUT ${serviceUrl(PATH)} \\
  -H "Authorization: Token $KEY" -H "Content-Type: application/json" \\
  -d ${shellQuote(JSON.stringify(bodyOf(group), null, 2)).replaceAll("\n", `\n${INDENT}`)}`;
}

/** Returns the same call with the TypeScript client. */
export function typeScriptOf({ providedId, name, properties, mapping }: Group): string {
  const fields = toTypeScript({ providedId, name, properties, mapping: mappingOf(mapping) }, "");
  return `import { UserGroupsClient } from "@user-groups/client";

const client = new UserGroupsClient({
  baseUrl: ${JSON.stringify(serviceUrl("").replace(/\/$/, ""))},
  apiKey: process.env["USER_GROUPS_API_KEY"] ?? "",
});
await client.userGroups.update(${fields});`;
}

/** Returns the same call in Python, with its standard library. The body is text, because Python rounds numbers. */
export function pythonOf(group: Group): string {
  return `import json, os, urllib.request

body = r'''${JSON.stringify(bodyOf(group), null, 2).replaceAll("'", "\\u0027")}'''
request = urllib.request.Request(
    ${JSON.stringify(serviceUrl(PATH))},
    method="PUT",
    data=body.encode(),
    headers={
        "Authorization": "Token " + os.environ["USER_GROUPS_API_KEY"],
        "Content-Type": "application/json",
    },
)
with urllib.request.urlopen(request) as response:
    print(json.load(response))`;
}

function bodyOf({ providedId, name, properties, mapping }: Group) {
  return { user_group_id: providedId, name, properties, mapping: mappingOf(mapping) };
}

function mappingOf(mapping: Group["mapping"]): Readonly<Record<string, string>> {
  return Object.fromEntries(mapping.map(({ schemaId, dataSource }) => [schemaId, dataSource.providedId]));
}

/** Renders a JSON value as a literal of TypeScript. */
function toTypeScript(value: unknown, indent: string): string {
  if (value instanceof ExactNumber) return `JSON.rawJSON("${value}")`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const inner = indent + INDENT;
  const isList = Array.isArray(value);
  const items = isList
    ? value.map((item) => toTypeScript(item, inner))
    : Object.entries(Object(value)).map(
        ([name, item]) => `${JSON.stringify(name)}: ${toTypeScript(item, inner)}`,
      );
  const [open, close] = isList ? "[]" : "{}";
  return items.length === 0
    ? `${open}${close}`
    : `${open}\n${items.map((item) => `${inner}${item},\n`).join("")}${indent}${close}`;
}
