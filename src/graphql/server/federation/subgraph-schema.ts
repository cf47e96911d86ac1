import {
  type ConstDirectiveNode,
  extendSchema,
  type GraphQLSchema,
  isUnionType,
  Kind,
  lexicographicSortSchema,
  parse,
  print,
  printSchema,
  visit,
} from "graphql";
import { DataSourceView } from "../../data-sources/type.js";
import type { GraphqlContext } from "../../shared/context.js";
import { UserGroupView } from "../../user-groups/type.js";
import { createSchema } from "../schema.js";
import { ENTITY_KEYS, loadEntities } from "./entities.js";

/** The first version with subscriptions. */
const LINK = `extend schema
  @link(url: "https://specs.apollo.dev/federation/v2.4", import: ["@key", "@shareable"])`;

/** Types that other subgraphs may define as well. */
const SHAREABLE = ["PageInfo"];

/** The fields that routers call (Apollo Federation subgraph specification); they are not part of the SDL. */
const FEDERATION_FIELDS = parse(`
  "The fields of a key of an entity, with its \`__typename\`."
  scalar _Any
  "The SDL of this subgraph."
  type _Service {
    "The SDL with the directives of Apollo Federation."
    sdl: String!
  }
  "A type that other subgraphs can extend."
  union _Entity = ${Object.keys(ENTITY_KEYS).join(" | ")}
  extend type Query {
    "The entities with these keys, in the same order; null for each that does not exist."
    _entities(representations: [_Any!]!): [_Entity]!
    "This subgraph."
    _service: _Service!
  }
`);

/** Adds the fields of an Apollo Federation 2 subgraph to the executable schema (decision 50). */
export function createSubgraphSchema(): GraphQLSchema {
  const base = createSchema();
  const schema = extendSchema(base, FEDERATION_FIELDS);
  const fields = schema.getQueryType()?.getFields() ?? {};
  const sdl = printSubgraph(base);
  if (fields["_service"]) fields["_service"].resolve = () => ({ sdl });
  if (fields["_entities"]) {
    fields["_entities"].resolve = (_root, { representations }, context: GraphqlContext) =>
      loadEntities(representations, context);
  }
  const entity = schema.getType("_Entity");
  if (isUnionType(entity)) entity.resolveType = entityTypeOf;
  return schema;
}

/** Returns the subgraph's SDL for composition, as committed in schema-subgraph.graphql. */
export function printSubgraphSdl(): string {
  return printSubgraph(createSchema());
}

function printSubgraph(schema: GraphQLSchema): string {
  const document = visit(parse(printSchema(lexicographicSortSchema(schema))), {
    // Composition rejects @oneOf (Federation 2.14); the service enforces it.
    Directive: (node) => (node.name.value === "oneOf" ? null : undefined),
    ObjectTypeDefinition: (node) => {
      const directives = directivesOf(node.name.value);
      return directives.length > 0 ? { ...node, directives } : undefined;
    },
  });
  return `${LINK}\n\n${print(document)}\n`;
}

function directivesOf(type: string): readonly ConstDirectiveNode[] {
  const keys = Object.keys(ENTITY_KEYS[type] ?? {});
  return [...keys.map(keyDirective), ...(SHAREABLE.includes(type) ? [directive("shareable")] : [])];
}

function keyDirective(fields: string): ConstDirectiveNode {
  const name = { kind: Kind.NAME, value: "fields" } as const;
  return directive("key", [
    { kind: Kind.ARGUMENT, name, value: { kind: Kind.STRING, value: fields } } as const,
  ]);
}

function directive(
  name: string,
  argumentNodes: NonNullable<ConstDirectiveNode["arguments"]> = [],
): ConstDirectiveNode {
  return { kind: Kind.DIRECTIVE, name: { kind: Kind.NAME, value: name }, arguments: argumentNodes };
}

function entityTypeOf(entity: unknown): string {
  if (entity instanceof UserGroupView) return "UserGroup";
  return entity instanceof DataSourceView ? "DataSource" : "SiteConfig";
}
