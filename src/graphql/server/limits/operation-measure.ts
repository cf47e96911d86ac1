import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLNamedType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isInterfaceType,
  isListType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  SchemaMetaFieldDef,
  type SelectionNode,
  type SelectionSetNode,
  TypeMetaFieldDef,
  valueFromASTUntyped,
} from "graphql";
import { GraphQLJSON } from "graphql-scalars";
import { JSON_COST_PER_KIB } from "../../shared/reply-budget.js";
import { type Amount, evaluate, plus, product, share, sum, type Variables } from "./amount.js";
import { SIZE_OF_ROOT_LISTS, sizeOfList, sizeOfListsIn } from "./list-size.js";

/** How much an operation asks for, its fragments followed; fields that are skipped by a directive count too. */
export interface OperationMeasure {
  readonly depth: number;
  readonly aliases: number;
  readonly rootFields: number;
  /** About how many fields the reply has: each counts 1, and what stands below a list once for each of its items. */
  costFor(variables: Variables): number;
}

interface Measure {
  readonly depth: number;
  readonly aliases: number;
  /** The fields at the top. */
  readonly fields: number;
  /** The cost but for what stands below lists at the top. */
  readonly cost: Amount;
  /** The cost below lists at the top, for one item of each: whoever holds them knows how many there are. */
  readonly itemCost: Amount;
}

const NOTHING: Measure = { depth: 0, aliases: 0, fields: 0, cost: 0, itemCost: 0 };
const LEAF: Measure = { ...NOTHING, depth: 1, fields: 1, cost: 1 };
const ALIASED_LEAF: Measure = { ...LEAF, aliases: 1 };

/** Far beyond any limit on depth, and within what the stack of calls holds. */
const MAX_NESTED = 500;
/** What is nested more than that counts as so many levels, also where it is nested in fragments only. */
const BOTTOMLESS: Measure = { ...NOTHING, depth: MAX_NESTED };

/**
 * Measures an operation in one pass over it and each of its fragments, once.
 * @param document with the operation; what is not valid in it counts as little as it can
 */
export function measureOperation(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
): OperationMeasure {
  const type = schema.getRootType(operation.operation) ?? undefined;
  const measure = new Measuring(schema, document).measureSelections(operation.selectionSet, type);
  const cost = sum([measure.cost, product(SIZE_OF_ROOT_LISTS, measure.itemCost)]);
  const defaults = defaultsOf(operation);
  return {
    depth: measure.depth,
    aliases: measure.aliases,
    rootFields: measure.fields,
    costFor: (variables) => (typeof cost === "number" ? cost : evaluate(cost, { ...defaults, ...variables })),
  };
}

class Measuring {
  readonly #schema: GraphQLSchema;
  readonly #fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  /** By fragment: however often a fragment is spread, it is measured once. */
  readonly #measured = new Map<string, Measure>();
  #nesting = 0;

  constructor(schema: GraphQLSchema, { definitions }: DocumentNode) {
    this.#schema = schema;
    this.#fragments = new Map(
      definitions.flatMap((definition) =>
        definition.kind === Kind.FRAGMENT_DEFINITION ? [[definition.name.value, definition] as const] : [],
      ),
    );
  }

  measureSelections({ selections }: SelectionSetNode, type: GraphQLNamedType | undefined): Measure {
    if (this.#nesting === MAX_NESTED) return BOTTOMLESS;
    this.#nesting += 1;
    let [depth, aliases, fields] = [0, 0, 0];
    const costs: Amount[] = [];
    const itemCosts: Amount[] = [];
    for (const selection of selections) {
      const part = this.#measureSelection(selection, type);
      depth = Math.max(depth, part.depth);
      aliases = plus(aliases, part.aliases);
      fields = plus(fields, part.fields);
      costs.push(part.cost);
      itemCosts.push(part.itemCost);
    }
    this.#nesting -= 1;
    return { depth, aliases, fields, cost: sum(costs), itemCost: sum(itemCosts) };
  }

  #measureSelection(selection: SelectionNode, type: GraphQLNamedType | undefined): Measure {
    switch (selection.kind) {
      case Kind.FIELD:
        return this.#measureField(selection, type);
      case Kind.INLINE_FRAGMENT: {
        const condition = selection.typeCondition?.name.value;
        return this.measureSelections(
          selection.selectionSet,
          condition === undefined ? type : this.#schema.getType(condition),
        );
      }
      case Kind.FRAGMENT_SPREAD:
        return this.#measureFragment(selection.name.value);
    }
  }

  #measureFragment(name: string): Measure {
    const known = this.#measured.get(name);
    if (known) return known;
    const fragment = this.#fragments.get(name);
    if (!fragment) return NOTHING;
    // A ring of fragments, which validation refuses, ends here.
    this.#measured.set(name, NOTHING);
    const type = this.#schema.getType(fragment.typeCondition.name.value);
    const measure = this.measureSelections(fragment.selectionSet, type);
    const shared = { ...measure, cost: share(measure.cost), itemCost: share(measure.itemCost) };
    this.#measured.set(name, shared);
    return shared;
  }

  #measureField(field: FieldNode, parent: GraphQLNamedType | undefined): Measure {
    const own = field.alias ? ALIASED_LEAF : LEAF;
    const fieldType = typeOfField(field.name.value, parent);
    if (!fieldType) return own;
    if (!field.selectionSet)
      return getNamedType(fieldType) === GraphQLJSON ? { ...own, cost: JSON_COST_PER_KIB } : own;
    const type = getNamedType(fieldType);
    const below = this.measureSelections(field.selectionSet, type);
    const aliases = plus(own.aliases, below.aliases);
    // Without aliases the schema bounds the reply, together with graphql-js' own rule on nesting; so tools can introspect.
    if (isIntrospection(field) && aliases === 0 && below.depth < MAX_NESTED) return LEAF;
    const whole = sum([below.cost, product(sizeOfListsIn(field, type), below.itemCost)]);
    return {
      depth: 1 + below.depth,
      aliases,
      fields: 1,
      ...costOf(fieldType, whole, sizeOfList(field, parent)),
    };
  }
}

/**
 * @param whole the cost of all that stands below, for one item
 * @param size how many items a list has; undefined where whoever holds it knows
 */
function costOf(
  type: GraphQLOutputType,
  whole: Amount,
  size: Amount | undefined,
): Pick<Measure, "cost" | "itemCost"> {
  if (!isListType(getNullableType(type))) return { cost: sum([1, whole]), itemCost: 0 };
  if (size === undefined) return { cost: 1, itemCost: whole };
  return { cost: sum([1, product(size, whole)]), itemCost: 0 };
}

function typeOfField(name: string, parent: GraphQLNamedType | undefined): GraphQLOutputType | undefined {
  if (name === SchemaMetaFieldDef.name) return SchemaMetaFieldDef.type;
  if (name === TypeMetaFieldDef.name) return TypeMetaFieldDef.type;
  return isObjectType(parent) || isInterfaceType(parent) ? parent.getFields()[name]?.type : undefined;
}

function isIntrospection({ name }: FieldNode): boolean {
  return name.value === SchemaMetaFieldDef.name || name.value === TypeMetaFieldDef.name;
}

function defaultsOf({ variableDefinitions = [] }: OperationDefinitionNode): Variables {
  return Object.fromEntries(
    variableDefinitions.flatMap(({ variable, defaultValue }) =>
      defaultValue ? [[variable.name.value, valueFromASTUntyped(defaultValue)]] : [],
    ),
  );
}
