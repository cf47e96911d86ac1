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
  type ValueNode,
  valueFromASTUntyped,
} from "graphql";
import { DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE } from "../../../domain/shared/pagination.js";
import { GraphQLJSON } from "../../shared/raw-json.js";
import { COUNTS_ITEMS, JSON_COST_PER_KIB, LEAF_COST } from "../../shared/reply-budget.js";
import { fragmentsOf } from "./access-rules.js";

/** The variables of a request, by name. */
export type Variables = Readonly<Record<string, unknown>>;

/** Assumed size of lists without a page size, such as `mapping`, and of lists that are root fields. */
const ASSUMED_ITEMS = 10;

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
  readonly cost: number;
  /** Cost per item of the lists directly in the selection set, to be multiplied by the list size that the parent determines. */
  readonly itemCost: number;
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
  const measureWith = (variables: Variables) => {
    const measurer = new DocumentMeasurer(schema, document, variables);
    const { cost, itemCost, ...measure } = measurer.measureSelections(operation.selectionSet, type);
    const total = saturate(cost + ASSUMED_ITEMS * itemCost);
    return { ...measure, cost: total, hasSizeVariables: measurer.hasSizeVariables };
  };
  const defaults = defaultsOf(operation);
  const { depth, aliases, fields: rootFields, cost, hasSizeVariables } = measureWith(defaults);
  const costWith = (variables: Variables) => measureWith({ ...defaults, ...variables }).cost;
  return { depth, aliases, rootFields, cost: hasSizeVariables ? costWith : cost };
}

class DocumentMeasurer {
  /** Whether variables determine sizes of lists. */
  hasSizeVariables = false;
  readonly #fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  /** Measures by fragment name. */
  readonly #measured = new Map<string, Measure>();
  #nesting = 0;

  constructor(
    private readonly schema: GraphQLSchema,
    document: DocumentNode,
    private readonly variables: Variables,
  ) {
    this.#fragments = fragmentsOf(document);
  }

  measureSelections({ selections }: SelectionSetNode, type: GraphQLNamedType | undefined): Measure {
    if (this.#nesting === MAX_NESTED) return TOO_DEEP;
    this.#nesting += 1;
    let [depth, aliases, fields, cost, itemCost] = [0, 0, 0, 0, 0];
    for (const selection of selections) {
      const part = this.#measureSelection(selection, type);
      depth = Math.max(depth, part.depth);
      aliases = saturate(aliases + part.aliases);
      fields = saturate(fields + part.fields);
      cost = saturate(cost + part.cost);
      itemCost = saturate(itemCost + part.itemCost);
    }
    this.#nesting -= 1;
    return { depth, aliases, fields, cost, itemCost };
  }

  #measureSelection(selection: SelectionNode, type: GraphQLNamedType | undefined): Measure {
    switch (selection.kind) {
      case Kind.FIELD:
        return this.#measureField(selection, type);
      case Kind.INLINE_FRAGMENT: {
        const condition = selection.typeCondition?.name.value;
        return this.measureSelections(
          selection.selectionSet,
          condition === undefined ? type : this.schema.getType(condition),
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
    const type = this.schema.getType(fragment.typeCondition.name.value);
    const measure = this.measureSelections(fragment.selectionSet, type);
    this.#measured.set(name, measure);
    return measure;
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
    const aliases = saturate(leaf.aliases + children.aliases);
    // Let tools introspect: without aliases, the schema and graphql-js's introspection depth rule bound the reply.
    if (isIntrospection(field) && aliases === 0 && children.depth < MAX_NESTED) return LEAF;
    const childCost = saturate(children.cost + this.#sizeOfListsIn(field, type) * children.itemCost);
    return {
      depth: 1 + children.depth,
      aliases,
      fields: 1,
      ...costOf(fieldType, childCost, this.#sizeOfList(field, parent)),
    };
  }

  /**
   * Returns the assumed size of lists directly below a field: the page size for a connection (a type with `edges` and
   * `pageInfo`), otherwise a constant.
   */
  #sizeOfListsIn(field: FieldNode, type: GraphQLNamedType): number {
    // A router loads the entities of many pages at once. The reply budget counts their mapping entries when they are read.
    if (argument(field, "representations")) return 1;
    if (!isConnection(type)) return ASSUMED_ITEMS;
    const [first, last] = [this.#valueOf(argument(field, "first")), this.#valueOf(argument(field, "last"))];
    return toPageSize(first ?? last);
  }

  /**
   * Returns the size of a list that does not depend on its parent field: the length of `ids` or `representations`, or 1 if the reply budget
   * counts the items when they are read; undefined for every other list.
   */
  #sizeOfList(field: FieldNode, parent: GraphQLNamedType | undefined): number | undefined {
    if (parent?.extensions[COUNTS_ITEMS] === true) return 1;
    const ids = argument(field, "ids") ?? argument(field, "representations");
    if (ids === undefined) return undefined;
    if (ids.kind === Kind.LIST) return ids.values.length;
    const value = this.#valueOf(ids);
    return Array.isArray(value) ? value.length : 1;
  }

  #valueOf(value: ValueNode | undefined): unknown {
    if (value?.kind !== Kind.VARIABLE) return value?.kind === Kind.INT ? Number(value.value) : undefined;
    this.hasSizeVariables = true;
    return this.variables[value.name.value];
  }
}

/**
 * @param childCost cost of the field's selection set, per item
 * @param size list size; undefined if the parent field determines it
 */
function costOf(
  type: GraphQLOutputType,
  childCost: number,
  size: number | undefined,
): Pick<Measure, "cost" | "itemCost"> {
  if (!isListType(getNullableType(type))) return { cost: saturate(1 + childCost), itemCost: 0 };
  if (size === undefined) return { cost: 1, itemCost: childCost };
  return { cost: saturate(1 + size * childCost), itemCost: 0 };
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

function isConnection(type: GraphQLNamedType): boolean {
  if (!isObjectType(type)) return false;
  const fields = type.getFields();
  return fields["edges"] !== undefined && fields["pageInfo"] !== undefined;
}

/** Clamps instead of rejecting: the resolver reports an invalid size with the name of the argument. */
function toPageSize(size: unknown): number {
  if (typeof size !== "number") return DEFAULT_PAGE_SIZE;
  return Math.min(Math.max(Math.trunc(size), 0), MAX_PAGE_SIZE);
}

function argument(field: FieldNode, name: string): ValueNode | undefined {
  return field.arguments?.find((candidate) => candidate.name.value === name)?.value;
}

function saturate(value: number): number {
  return Math.min(value, Number.MAX_SAFE_INTEGER);
}
