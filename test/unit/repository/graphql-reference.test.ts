import { readdirSync, readFileSync } from "node:fs";
import { CriticalityLevel, diff } from "@graphql-inspector/core";
import {
  buildSchema,
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLNamedType,
  type GraphQLObjectType,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isIntrospectionType,
  isObjectType,
  isRequiredArgument,
  isRequiredInputField,
  isScalarType,
  isSpecifiedScalarType,
  isUnionType,
  Kind,
  parse,
  print,
  validate,
} from "graphql";
import { expect, test } from "vitest";
import { z } from "zod";

const schema = buildSchema(readFileSync(new URL("../../../schema.graphql", import.meta.url), "utf8"));
const roots = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()];
const types = Object.values(schema.getTypeMap()).filter(
  (type) =>
    !isIntrospectionType(type) && !isSpecifiedScalarType(type) && !roots.some((root) => root === type),
);
/** Operations that are shown beside the type of the same name. */
const examples = parse(
  readFileSync(new URL("../../../docs/reference/examples.graphql", import.meta.url), "utf8"),
);
/** The pages of types, and which they describe; the last one has all others. */
const SUBJECTS: readonly (readonly [page: string, title: string, names: RegExp])[] = [
  ["graphql-types-user-groups.md", "GraphQL types of user groups", /UserGroup|Mapping|EmbedSession|Viewer/],
  ["graphql-types-data-sources.md", "GraphQL types of data sources", /DataSource/],
  ["graphql-types-webhooks.md", "GraphQL types of webhooks", /Webhook/],
  ["graphql-types-administration.md", "GraphQL types of API keys and the audit log", /ApiKey|Audit|UsageDay/],
  ["graphql-types-sites.md", "GraphQL types of site configurations", /^Site|SiteConfig/],
  ["graphql-types.md", "Common GraphQL types", /^/],
];
const NOTE =
  "<!-- Written from schema.graphql: npx vitest run test/unit/repository/graphql-reference.test.ts -u -->";

/** Lists queries, mutations and subscriptions with their arguments. */
function operationsPage(): string {
  const sections = ["Queries", "Mutations", "Subscriptions"].map((title, index) => {
    const fields = Object.values(roots[index]?.getFields() ?? {});
    return `## ${title}\n\n${fields.map(operation).join("\n\n")}`;
  });
  return `${NOTE}

# GraphQL operations

Every query, mutation and subscription of \`/graphql\`. The [guide](../graphql.md) shows how to send operations. Arguments with **!** are required.

${sections.join("\n\n")}
`;
}

function operation({ name, description, args, type }: GraphQLField<unknown, unknown>): string {
  const rows = args.map((each) => row(each, isRequiredArgument(each)));
  const table = rows.length > 0 ? `\n\n${tableOf("argument", rows)}` : "";
  return `### ${name}\n\nReturns ${link(type)}. ${textOf(description)}${table}`;
}

/** Lists the types of a subject with their fields and values. */
function typesPage(page: string, title: string): string {
  const described = types.filter(({ name }) => pageOf(name) === page);
  const kinds: readonly (readonly [title: string, is: (type: GraphQLNamedType) => boolean])[] = [
    ["Objects", (type) => isObjectType(type) && !type.name.endsWith("Payload")],
    ["Payloads", (type) => isObjectType(type) && type.name.endsWith("Payload")],
    ["Interfaces", isInterfaceType],
    ["Unions", isUnionType],
    ["Inputs", isInputObjectType],
    ["Enums", isEnumType],
    ["Scalars", isScalarType],
  ];
  const sections = kinds.flatMap(([kind, is]) => {
    const ofKind = described.filter(is).map((type) => typeSection(type) + exampleOf(type.name));
    return ofKind.length > 0 ? [`## ${kind}\n\n${ofKind.join("\n\n")}`] : [];
  });
  return `${NOTE}

# ${title}

Types that [GraphQL operations](graphql-operations.md) take and return. **!** marks values that are never null, and required input fields.

${sections.join("\n\n")}
`;
}

function pageOf(type: string): string {
  return SUBJECTS.find(([, , names]) => names.test(type))?.[0] ?? "";
}

function exampleOf(type: string): string {
  const example = examples.definitions.find((each) => "name" in each && each.name?.value === type);
  return example ? `\n\n\`\`\`graphql\n${print(example)}\n\`\`\`` : "";
}

function typeSection(type: GraphQLNamedType): string {
  const head = `### ${type.name}\n\n${textOf(type.description)}`;
  if (isEnumType(type)) {
    return `${head}\n\n| value | meaning |\n|---|---|\n${type
      .getValues()
      .map(({ name, description }) => `| \`${name}\` | ${textOf(description)} |`)
      .join("\n")}`;
  }
  if (isInputObjectType(type)) {
    const rows = Object.values(type.getFields()).map((field) => row(field, isRequiredInputField(field)));
    return `${head}${type.isOneOf ? " Exactly one field must be set." : ""}\n\n${tableOf("field", rows)}`;
  }
  if (isObjectType(type) || isInterfaceType(type)) return `${head}\n\n${tableOf("field", fieldRows(type))}`;
  if (isUnionType(type))
    return `${head} One of ${type
      .getTypes()
      .map((each) => link(each))
      .join(", ")}.`;
  return head;
}

function fieldRows(type: Pick<GraphQLObjectType, "getFields">): string[] {
  return Object.values(type.getFields()).map(({ name, args, type: returned, description }) => {
    const names = args.map((arg) => `\`${arg.name}\``).join(", ");
    const suffix = names === "" ? "" : ` Arguments: ${names}.`;
    return `| \`${name}\` | ${link(returned)} | ${textOf(description)}${suffix} |`;
  });
}

function row(
  { name, type, defaultValue, description }: GraphQLArgument | GraphQLInputField,
  isRequired: boolean,
): string {
  const fallback = defaultValue === undefined ? "" : ` Default: \`${JSON.stringify(defaultValue)}\`.`;
  const required = isRequired ? " **!**" : "";
  return `| \`${name}\`${required} | ${link(type)} | ${textOf(description)}${fallback} |`;
}

function tableOf(kind: string, rows: readonly string[]): string {
  return `| ${kind} | type | meaning |\n|---|---|---|\n${rows.join("\n")}`;
}

/** A type as in the schema, linked to its section. */
function link(
  type: GraphQLField<unknown, unknown>["type"] | GraphQLArgument["type"] | GraphQLNamedType,
): string {
  const named = getNamedType(type);
  const text = `\`${String(type)}\``;
  return isSpecifiedScalarType(named) ? text : `[${text}](${pageOf(named.name)}#${named.name.toLowerCase()})`;
}

/** A description as one line of a table. */
function textOf(description: string | null | undefined): string {
  return (description ?? "").replaceAll(/\s+/g, " ").replaceAll("|", "\\|").trim();
}

test("docs/reference/graphql-*.md are current (vitest run test/unit/repository/graphql-reference.test.ts -u)", async () => {
  await expect(operationsPage()).toMatchFileSnapshot("../../../docs/reference/graphql-operations.md");
  for (const [page, title] of SUBJECTS)
    await expect(typesPage(page, title)).toMatchFileSnapshot(`../../../docs/reference/${page}`);
});

test("every type and field of the schema has a description", () => {
  const pages = operationsPage() + SUBJECTS.map(([page, title]) => typesPage(page, title)).join("");
  expect(pages).not.toMatch(/\|\s+\|$/m);
  for (const { name } of types) expect(pages).toContain(`### ${name}\n`);
});

test("examples match the schema and stand beside a type", () => {
  for (const example of examples.definitions) {
    const name = "name" in example ? example.name?.value : "";
    expect(schema.getType(name ?? ""), name).toBeDefined();
    expect(validate(schema, { kind: Kind.DOCUMENT, definitions: [example] }), name).toEqual([]);
  }
});

const root = new URL("../../../", import.meta.url);
const folder = new URL("schema-changes/", root);
const announcementFormat = z.strictObject({
  reason: z.string().trim().min(1),
  changes: z.array(z.string()).min(1),
});

test("schema-changes announces exactly the breaking changes since the last release", async () => {
  const announced = readdirSync(folder)
    .filter((name) => name.endsWith(".json"))
    .flatMap((name) => parseAnnouncement(readText(new URL(name, folder))));
  const baseline = readText(new URL("baseline.graphql", folder));
  const schema = readText(new URL("schema.graphql", root));
  expect(await compare(baseline, schema, announced)).toEqual({ unannounced: [], stale: [] });
});

async function compare(
  baseline: string,
  schema: string,
  announced: readonly string[],
): Promise<{ unannounced: string[]; stale: string[] }> {
  const changes = await diff(buildSchema(baseline), buildSchema(schema));
  const breaking = changes
    .filter(({ criticality }) => criticality.level === CriticalityLevel.Breaking)
    .map(({ message }) => message);
  return {
    unannounced: breaking.filter((message) => !announced.includes(message)),
    stale: announced.filter((message) => !breaking.includes(message)),
  };
}

function parseAnnouncement(text: string): readonly string[] {
  return announcementFormat.parse(JSON.parse(text)).changes;
}

function readText(url: URL): string {
  return readFileSync(url, "utf8");
}
