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
import { GraphQLJSON } from "../../shared/raw-json.js";
import { JSON_COST_PER_KIB, LEAF_COST } from "../../shared/reply-budget.js";
import { type Amount, evaluate, memoize, plus, product, sum, type Variables } from "./amount.js";
import { SIZE_OF_ROOT_LISTS, sizeOfList, sizeOfListsIn } from "./list-cost.js";

/** Size of an operation with its fragments expanded; fields skipped by a directive count too. */
export interface OperationMeasure {
  readonly depth: number;
  readonly aliases: number;
  readonly rootFields: number;
  /** Estimated number of fields in the reply: 1 for each field, multiplied by the sizes of the lists around it. */
  readonly cost: number | ((variables: Variables) => number);
}

interface Measure {
  readonly depth: number;
  readonly aliases: number;
  /** Number of fields directly in the selection set. */
  readonly fields: number;
  /** Cost without `itemCost`. */
  readonly cost: Amount;
  /** Cost per item of the lists directly in the selection set, to be multiplied by the list size that the parent determines. */
  readonly itemCost: Amount;
}

const EMPTY: Measure = { depth: 0, aliases: 0, fields: 0, cost: 0, itemCost: 0 };
const LEAF: Measure = { ...EMPTY, depth: 1, fields: 1, cost: 1 };
const ALIASED_LEAF: Measure = { ...LEAF, aliases: 1 };

/** Maximum nesting: above any sensible depth limit, and low enough for the call stack. */
const MAX_NESTED = 500;
/** Result for anything nested deeper, including nesting by fragments only. */
const TOO_DEEP: Measure = { ...EMPTY, depth: MAX_NESTED };

/**
 * Measures an operation in one pass, visiting each fragment once.
 * @param document may be invalid; invalid parts count the minimum
 */
export function measureOperation(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
): OperationMeasure {
  const type = schema.getRootType(operation.operation) ?? undefined;
  const measure = new DocumentMeasurer(schema, document).measureSelections(operation.selectionSet, type);
  const cost = sum([measure.cost, product(SIZE_OF_ROOT_LISTS, measure.itemCost)]);
  const defaults = defaultsOf(operation);
  return {
    depth: measure.depth,
    aliases: measure.aliases,
    rootFields: measure.fields,
    cost: typeof cost === "number" ? cost : (variables) => evaluate(cost, { ...defaults, ...variables }),
  };
}

class DocumentMeasurer {
  readonly #schema: GraphQLSchema;
  readonly #fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  /** Measures by fragment name. */
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
    if (this.#nesting === MAX_NESTED) return TOO_DEEP;
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
    if (!fragment) return EMPTY;
    // Stops at a fragment cycle, which validation rejects later.
    this.#measured.set(name, EMPTY);
    const type = this.#schema.getType(fragment.typeCondition.name.value);
    const measure = this.measureSelections(fragment.selectionSet, type);
    const memoized = { ...measure, cost: memoize(measure.cost), itemCost: memoize(measure.itemCost) };
    this.#measured.set(name, memoized);
    return memoized;
  }

  #measureField(field: FieldNode, parent: GraphQLNamedType | undefined): Measure {
    const leaf = field.alias ? ALIASED_LEAF : LEAF;
    const fieldType = typeOfField(field.name.value, parent);
    if (!fieldType) return leaf;
    if (!field.selectionSet) {
      const cost =
        getNamedType(fieldType) === GraphQLJSON ? JSON_COST_PER_KIB : parent?.extensions[LEAF_COST];
      return typeof cost === "number" ? { ...leaf, cost } : leaf;
    }
    const type = getNamedType(fieldType);
    const children = this.measureSelections(field.selectionSet, type);
    const aliases = plus(leaf.aliases, children.aliases);
    // Let tools introspect: without aliases, the schema and graphql-js's introspection depth rule bound the reply.
    if (isIntrospection(field) && aliases === 0 && children.depth < MAX_NESTED) return LEAF;
    const childCost = sum([children.cost, product(sizeOfListsIn(field, type), children.itemCost)]);
    return {
      depth: 1 + children.depth,
      aliases,
      fields: 1,
      ...costOf(fieldType, childCost, sizeOfList(field, parent)),
    };
  }
}

/**
 * @param childCost cost of the field's selection set, per item
 * @param size list size; undefined if the parent field determines it
 */
function costOf(
  type: GraphQLOutputType,
  childCost: Amount,
  size: Amount | undefined,
): Pick<Measure, "cost" | "itemCost"> {
  if (!isListType(getNullableType(type))) return { cost: sum([1, childCost]), itemCost: 0 };
  if (size === undefined) return { cost: 1, itemCost: childCost };
  return { cost: sum([1, product(size, childCost)]), itemCost: 0 };
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
