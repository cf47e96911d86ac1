import {
  astFromValue,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isInputObjectType,
  isInputType,
  isListType,
  type OperationDefinitionNode,
  typeFromAST,
  valueFromASTUntyped,
} from "graphql";
import { isObject } from "../../domain/shared/json.js";
import type { Variables } from "./limits/amount.js";

/** Puts what is missing into a value of an input type. */
type Complete = (value: unknown) => unknown;

/** Says whether a variable's type can hold itself: compiling (graphql-jit 0.8) would not come to an end. */
export function hasEndlessVariable(
  schema: GraphQLSchema,
  { variableDefinitions = [] }: OperationDefinitionNode,
): boolean {
  return variableDefinitions.some(({ type: node }) => {
    const type: unknown = typeFromAST(schema, node);
    return isInputType(type) && holdsItself(type, []);
  });
}

function holdsItself(type: GraphQLInputType, within: readonly GraphQLInputType[]): boolean {
  const named = getNamedType(type);
  if (!isInputObjectType(named)) return false;
  if (within.includes(named)) return true;
  return Object.values(named.getFields()).some((field) => holdsItself(field.type, [...within, named]));
}

/**
 * Makes what puts the defaults of input objects' fields into the variables of an operation: compiled code (graphql-jit 0.8) does not know of
 * them. Whether values fit is not looked at. No variable's type may hold itself.
 * @returns null where no variable's type has such a field
 */
export function inputDefaults(
  schema: GraphQLSchema,
  { variableDefinitions = [] }: OperationDefinitionNode,
): ((variables: Variables) => Variables) | null {
  const known = new Map<string, Complete | null>();
  const completers = variableDefinitions.flatMap(({ variable, type: node }) => {
    const type: unknown = typeFromAST(schema, node);
    const complete = isInputType(type) ? completerOf(type, known) : null;
    return complete ? [{ name: variable.name.value, complete }] : [];
  });
  if (completers.length === 0) return null;
  return (variables) => {
    const completed = { ...variables };
    for (const { name, complete } of completers) {
      if (name in completed) completed[name] = complete(completed[name]);
    }
    return completed;
  };
}

function completerOf(type: GraphQLInputType, known: Map<string, Complete | null>): Complete | null {
  const nullable = getNullableType(type);
  if (isInputObjectType(nullable)) return objectCompleter(nullable, known);
  const complete = isListType(nullable) ? completerOf(nullable.ofType, known) : null;
  // A single value stands for a list of one.
  return complete && ((value) => (Array.isArray(value) ? value.map(complete) : complete(value)));
}

function objectCompleter(type: GraphQLInputObjectType, known: Map<string, Complete | null>): Complete | null {
  const seen = known.get(type.name);
  if (seen !== undefined) return seen;
  const defaults: (readonly [name: string, value: unknown])[] = [];
  const nested: (readonly [name: string, complete: Complete])[] = [];
  const complete: Complete = (value) => {
    if (!isObject(value)) return value;
    const completed: Record<string, unknown> = { ...value };
    for (const [name, fallback] of defaults) {
      if (completed[name] === undefined) completed[name] = fallback;
    }
    for (const [name, completeField] of nested) {
      if (completed[name] !== undefined) completed[name] = completeField(completed[name]);
    }
    return completed;
  };
  for (const { name, type: fieldType, defaultValue } of Object.values(type.getFields())) {
    if (defaultValue !== undefined) defaults.push([name, externalValue(defaultValue, fieldType)]);
    const completeField = completerOf(fieldType, known);
    if (completeField) nested.push([name, completeField]);
  }
  const found = defaults.length > 0 || nested.length > 0 ? complete : null;
  known.set(type.name, found);
  return found;
}

/** A default as a caller would write it. */
function externalValue(value: unknown, type: GraphQLInputType): unknown {
  const node = astFromValue(value, type);
  return node ? valueFromASTUntyped(node) : value;
}
