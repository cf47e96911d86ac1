import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { z } from "zod";

const property = z.object({
  type: z.union([z.string(), z.array(z.string())]).optional(),
  description: z.string().default(""),
  get properties() {
    return z.record(z.string(), property).optional();
  },
  required: z.array(z.string()).default([]),
  $ref: z.string().optional(),
});
type Property = z.infer<typeof property>;
const content = z.record(z.string(), z.object({ schema: property.optional() })).default({});
const reply = z.object({ description: z.string().default(""), $ref: z.string().optional(), content });
const parameter = z.object({
  name: z.string(),
  in: z.string(),
  description: z.string().default(""),
  required: z.boolean().default(false),
});
const operation = z.object({
  summary: z.string(),
  description: z.string(),
  tags: z.array(z.string()),
  parameters: z.array(parameter).default([]),
  requestBody: z.object({ content }).optional(),
  responses: z.record(z.string(), reply),
});
type Operation = z.infer<typeof operation>;
const METHODS = ["get", "put", "post", "delete", "head", "options"] as const;
const path = z.object({
  parameters: z.array(parameter.partial({ name: true, in: true })).default([]),
  ...Object.fromEntries(METHODS.map((method) => [method, operation.optional()])),
});

const REQUEST = "Request body";
const text = readFileSync(new URL("../../../openapi.json", import.meta.url), "utf8");
const { paths, components, tags, info } = z
  .object({
    info: z.object({ description: z.string() }),
    tags: z.array(z.object({ name: z.string(), description: z.string().default("") })),
    paths: z.record(z.string(), path),
    components: z.object({ schemas: z.record(z.string(), property), responses: z.record(z.string(), reply) }),
  })
  .parse(JSON.parse(text));

const operations = Object.entries(paths).flatMap(([address, { parameters: shared, ...methods }]) =>
  Object.entries(methods).flatMap(([method, value]) => {
    const parsed = operation.safeParse(value);
    if (!parsed.success) return [];
    // The introduction describes the header that all operations have.
    const parameters = [
      ...shared.flatMap((each) => parameter.safeParse(each).data ?? []),
      ...parsed.data.parameters,
    ].filter(({ name }) => name !== "X-Request-Id");
    return [{ address, method: method.toUpperCase(), operation: { ...parsed.data, parameters } }];
  }),
);

/** Lists the operations of the OpenAPI document with their fields and replies. */
function reference(): string {
  const sections = tags.map(({ name, description }) => {
    const own = operations.filter(
      ({
        operation: {
          tags: [tag],
        },
      }) => tag === name,
    );
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

function section({ address, method, operation: each }: (typeof operations)[number]): string {
  return [
    `### ${each.summary}`,
    `\`${method} ${address}\``,
    each.description,
    parametersOf(each),
    fieldsOf(REQUEST, bodyOf(each.requestBody?.content)),
    fieldsOf("Reply", bodyOf(each.responses["200"]?.content)),
    repliesOf(each),
  ]
    .filter((part) => part !== "")
    .join("\n\n");
}

function parametersOf({ parameters }: Operation): string {
  const rows = parameters.map(
    ({ name, in: place, description, required }) =>
      `| \`${name}\` | ${place}${required ? ", required" : ""} | ${line(description)} |`,
  );
  return rows.length === 0 ? "" : `| parameter | in | meaning |\n|---|---|---|\n${rows.join("\n")}`;
}

function bodyOf(body: z.infer<typeof content> = {}): Property | undefined {
  return resolve(body["application/json"]?.schema);
}

function resolve(schema: Property | undefined): Property | undefined {
  const name = schema?.$ref?.split("/").at(-1);
  return name === undefined ? schema : components.schemas[name];
}

function fieldsOf(title: string, schema: Property | undefined): string {
  const rows = fieldRows(title, schema);
  return rows.length === 0
    ? ""
    : `${title}:\n\n| field | type | meaning |\n|---|---|---|\n${rows.join("\n")}`;
}

/** The fields of an object, and below them those of its objects. */
function fieldRows(title: string, schema: Property | undefined, prefix = ""): string[] {
  return Object.entries(schema?.properties ?? {}).flatMap(([name, field]) => {
    const resolved = resolve(field);
    const type = [resolved?.type].flat().join(" or ");
    // Replies have all of their fields.
    const required = title === REQUEST && schema?.required.includes(name) ? ", required" : "";
    const path = prefix + name;
    return [
      `| \`${path}\` | ${type}${required} | ${line(field.description)} |`,
      ...fieldRows(title, resolved, `${path}.`),
    ];
  });
}

function repliesOf({ responses }: Operation): string {
  const rows = Object.entries(responses).map(([status, { description, $ref }]) => {
    const shared = components.responses[$ref?.split("/").at(-1) ?? ""]?.description ?? "";
    return `| ${status} | ${line(description || shared)} |`;
  });
  return `| status | meaning |\n|---|---|\n${rows.join("\n")}`;
}

function line(description: string): string {
  return description.replaceAll(/\s+/g, " ").replaceAll("|", "\\|").trim();
}

test("every parameter and field has a description", () => {
  expect(reference()).not.toMatch(/\|\s+\|$/m);
});

test("docs/reference/rest.md is current (vitest run test/unit/repository/rest-reference.test.ts -u)", async () => {
  expect(operations.length).toBeGreaterThan(10);
  await expect(reference()).toMatchFileSnapshot("../../../docs/reference/rest.md");
});
