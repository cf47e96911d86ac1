import {
  type ASTNode,
  buildASTSchema,
  extendSchema,
  GraphQLSchema,
  isUnionType,
  lexicographicSortSchema,
  parse,
  print,
  printSchema,
  visit,
} from "graphql";
import type { GraphqlContext } from "../../shared/context.js";
import { JSON_COST_PER_KIB, LEAF_COST } from "../../shared/reply-budget.js";
import { UserGroupView } from "../../user-groups/type.js";
import { createSchema } from "../schema.js";
import { ENTITY_KEYS, loadEntities } from "./entities.js";

/** The first version with subscriptions. */
const LINK = `extend schema
  @link(url: "https://specs.apollo.dev/federation/v2.4", import: ["@key", "@shareable"])`;

const KIB = 1024;

/** Types that other subgraphs may define as well. */
const SHAREABLE = ["PageInfo"];

/** Root fields of the SDL; the others stay on the ordinary endpoint. */
const OFFERED_FIELDS = /viewer|userGroup|dataSource|embedSession/i;
const ROOT_TYPES = /^(?:Query|Mutation|Subscription)$/;

/** Types that the SDL omits, with the fields and arguments that need them: other subgraphs often have types of these names. */
const OMITTED_TYPES =
  /\b(?:ApiKey|ApiKeyScope|AuditEntryConnection|DateTimeRange|EmbedSessionDay|Environment|Node|OrderDirection|UserGroupVersionConnection)\b/;

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
    "The entities with these keys, in the same order; null for each that does not exist or, with an error, is invalid."
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
  const service = schema.getType("_Service");
  if (service) service.extensions = { [LEAF_COST]: JSON_COST_PER_KIB * Math.ceil(sdl.length / KIB) };
  const entity = schema.getType("_Entity");
  if (isUnionType(entity)) entity.resolveType = entityTypeOf;
  return schema;
}

/** Returns the subgraph's SDL for composition, as committed in schema-subgraph.graphql. */
export function printSubgraphSdl(): string {
  return printSubgraph(createSchema());
}

function printSubgraph(schema: GraphQLSchema): string {
  const sdl = printSchema(lexicographicSortSchema(reduce(schema)));
  const typeHead = /^type (\w+).*(?= \{$)/gm;
  return `${LINK}\n\n${sdl.replace(typeHead, (head, type: string) => head + directivesOf(type))}\n`;
}

function directivesOf(type: string): string {
  const keys = Object.keys(ENTITY_KEYS[type] ?? {}).map((key) => ` @key(fields: "${key}")`);
  return keys.join("") + (SHAREABLE.includes(type) ? " @shareable" : "");
}

/** Returns the part of the schema that the SDL describes. */
function reduce(schema: GraphQLSchema): GraphQLSchema {
  const omit = ({ type }: { readonly type: ASTNode }) => (OMITTED_TYPES.test(print(type)) ? null : undefined);
  const document = visit(parse(printSchema(schema)), {
    // Composition rejects @oneOf (Federation 2.14); the service enforces it.
    Directive: ({ name }) => (name.value === "oneOf" ? null : undefined),
    ObjectTypeDefinition: ({ fields = [], interfaces = [], ...type }) => ({
      ...type,
      interfaces: interfaces.filter(({ name }) => !OMITTED_TYPES.test(name.value)),
      fields: fields.filter(
        ({ name }) => !ROOT_TYPES.test(type.name.value) || OFFERED_FIELDS.test(name.value),
      ),
    }),
    FieldDefinition: omit,
    InputValueDefinition: omit,
  });
  const { query, mutation, subscription } = buildASTSchema(document).toConfig();
  // Without the option `types`, only the types that these roots use remain.
  return new GraphQLSchema({ query, mutation, subscription });
}

function entityTypeOf(entity: unknown): string {
  return entity instanceof UserGroupView ? "UserGroup" : "DataSource";
}
