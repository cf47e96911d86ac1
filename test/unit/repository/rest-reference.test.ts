import { readFileSync } from "node:fs";
import { Ajv2020 } from "ajv/dist/2020.js";
import { expect, test } from "vitest";
import { packageVersion } from "../../../src/app/package-version.js";
import { openApiDocument, printOpenApi } from "../../../src/http/openapi/document.js";

/** An untyped part of the document. */
type Part = ReturnType<typeof JSON.parse>;

const METHODS = ["get", "put", "post", "delete", "head", "options"];
const { paths, components, tags, info }: Part = JSON.parse(JSON.stringify(openApiDocument("0.0.0")));
const operations = Object.entries<Part>(paths).flatMap(([path, { parameters = [], ...methods }]) =>
  METHODS.filter((method) => method in methods).map((method) => ({
    ...methods[method],
    name: `${method.toUpperCase()} ${path}`,
    // The introduction describes the header that all operations have.
    parameters: [...parameters, ...(methods[method].parameters ?? [])].filter(
      ({ name }) => name !== "X-Request-Id",
    ),
  })),
);

/** Lists the operations of the OpenAPI document with their fields and replies. */
function reference(): string {
  const sections = tags.map(({ name, description }: Part) => {
    const own = operations.filter((operation) => operation.tags[0] === name);
    return `## ${name}\n\n${description}\n\n${own.map(section).join("\n\n")}`;
  });
  return `<!-- Written from openapi.json: npx vitest run test/unit/repository/rest-reference.test.ts -u -->

# REST reference

Every operation of [openapi.json](../../openapi.json). The [guide](../rest-api.md) shows how to call them; http://127.0.0.1:4000/api/docs tries them in
a browser.

${info.description}

A request can have the header \`X-Request-Id\`, your own ID of it, which the reply, the log and the audit log contain.

${sections.join("\n\n")}
`;
}

function section({ summary, name, description, parameters, requestBody, responses }: Part): string {
  return [
    `### ${summary}`,
    `\`${name}\``,
    description,
    table("| parameter | in | meaning |", parameters.map(parameterRow)),
    fieldsOf("Request body", requestBody),
    fieldsOf("Reply", responses["200"]),
    table("| status | meaning |", Object.entries<Part>(responses).map(replyRow)),
  ]
    .filter((part) => part !== "")
    .join("\n\n");
}

function parameterRow({ name, in: place, description, required = false }: Part): string {
  return `| \`${name}\` | ${place}${required ? ", required" : ""} | ${line(description)} |`;
}

function replyRow([status, { description, $ref }]: [string, Part]): string {
  return `| ${status} | ${line(description ?? components.responses[nameOf($ref)].description)} |`;
}

function fieldsOf(title: string, body: Part): string {
  const rows = fieldRows(title, resolve(body?.content?.["application/json"]?.schema));
  return rows.length === 0 ? "" : `${title}:\n\n${table("| field | type | meaning |", rows)}`;
}

/** The fields of an object, and below them those of its objects. */
function fieldRows(title: string, schema: Part, prefix = ""): string[] {
  return Object.entries<Part>(schema?.properties ?? {}).flatMap(([name, field]) => {
    const resolved = resolve(field);
    const type = [resolved.type].flat().join(" or ");
    // Replies have all of their fields.
    const required = title !== "Reply" && schema.required?.includes(name) ? ", required" : "";
    const path = prefix + name;
    return [
      `| \`${path}\` | ${type}${required} | ${line(field.description)} |`,
      ...fieldRows(title, resolved, `${path}.`),
    ];
  });
}

function table(head: string, rows: readonly string[]): string {
  return rows.length === 0 ? "" : [head, head.replaceAll(/[^|]+/g, "---"), ...rows].join("\n");
}

function resolve(schema: Part): Part {
  return schema?.$ref === undefined ? schema : components.schemas[nameOf(schema.$ref)];
}

function nameOf(reference: string): string {
  return reference.split("/").at(-1) ?? "";
}

function line(description = ""): string {
  return description.replaceAll(/\s+/g, " ").replaceAll("|", "\\|").trim();
}

test("every parameter and field has a description", () => {
  expect(reference()).not.toMatch(/\|\s+\|$/m);
});

test("docs/reference/rest.md is current (vitest run test/unit/repository/rest-reference.test.ts -u)", async () => {
  expect(operations.length).toBeGreaterThan(10);
  await expect(reference()).toMatchFileSnapshot("../../../docs/reference/rest.md");
});

const VERSION = await packageVersion();

const document = openApiDocument(VERSION);

test("openapi.json is current: npm run schema:write", () => {
  expect(readFileSync(new URL("../../../openapi.json", import.meta.url), "utf8")).toBe(printOpenApi(VERSION));
});

test("its schemas are valid JSON Schema", () => {
  const ajv = new Ajv2020();
  for (const schema of Object.values(document.components.schemas)) {
    expect(ajv.validateSchema(schema), JSON.stringify(ajv.errors)).toBe(true);
  }
});
