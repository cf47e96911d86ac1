import {
  astFromValue,
  type GraphQLInputType,
  type GraphQLSchema,
  getNullableType,
  isInputObjectType,
  isInputType,
  isListType,
  type OperationDefinitionNode,
  typeFromAST,
  valueFromASTUntyped,
} from "graphql";
import { isObject, isPresent } from "../../../domain/shared/json.js";
import type { Variables } from "../limits/operation-measure.js";

/** Adds missing default values to a value of an input type. @throws InvalidOneOf */
type Complete = (value: unknown) => unknown;

/** Thrown for a value of a `@oneOf` type that does not have exactly one field. */
class InvalidOneOf extends Error {}

/**
 * Returns a function that applies the rules of input objects that graphql-jit 0.8 ignores: it adds default values of fields to variables,
 * and returns null if a value of a `@oneOf` type does not have exactly one field. Values are not validated otherwise. Relies on the schema
 * having no recursive input type (test/unit/compiled-operations.test.ts).
 * @returns null if these rules concern no variable's type
 */
export function completeInputObjects(
  schema: GraphQLSchema,
  { variableDefinitions = [] }: OperationDefinitionNode,
): ((variables: Variables) => Variables | null) | null {
  const completers = variableDefinitions.flatMap(({ variable, type: node }) => {
    const type: unknown = typeFromAST(schema, node);
    const complete = isInputType(type) ? completerOf(type) : null;
    return complete ? [[variable.name.value, complete] as const] : [];
  });
  if (completers.length === 0) return null;
  return (variables) => {
    try {
      return completeFields(variables, completers);
    } catch (error) {
      if (error instanceof InvalidOneOf) return null;
      throw error;
    }
  };
}

function completerOf(type: GraphQLInputType): Complete | null {
  const nullable = getNullableType(type);
  if (isListType(nullable)) {
    const complete = completerOf(nullable.ofType);
    // GraphQL coerces a single value to a list of one.
    return complete && ((value) => (Array.isArray(value) ? value.map(complete) : complete(value)));
  }
  if (!isInputObjectType(nullable)) return null;
  if (nullable.isOneOf) return requireOneField;
  const fields = Object.values(nullable.getFields());
  const defaults = Object.fromEntries(
    fields.flatMap(({ name, type: fieldType, defaultValue }) =>
      defaultValue === undefined ? [] : [[name, externalValue(defaultValue, fieldType)] as const],
    ),
  );
  const completers = fields.flatMap((field) => {
    const complete = completerOf(field.type);
    return complete ? [[field.name, complete] as const] : [];
  });
  if (completers.length === 0 && Object.keys(defaults).length === 0) return null;
  return (value) => (isObject(value) ? completeFields({ ...defaults, ...value }, completers) : value);
}

/** The fields of a `@oneOf` type have no default values. */
function requireOneField(value: unknown): unknown {
  if (!isPresent(value)) return value;
  if (!isObject(value) || Object.keys(value).length !== 1) throw new InvalidOneOf();
  if (!Object.values(value).every(isPresent)) throw new InvalidOneOf();
  return value;
}

function completeFields(
  values: Variables,
  completers: readonly (readonly [name: string, complete: Complete])[],
): Variables {
  const completed = { ...values };
  for (const [name, complete] of completers) {
    if (completed[name] !== undefined) completed[name] = complete(completed[name]);
  }
  return completed;
}

/** Converts an internal default value to its external form, as sent in variables. */
function externalValue(value: unknown, type: GraphQLInputType): unknown {
  const node = astFromValue(value, type);
  return node ? valueFromASTUntyped(node) : value;
}
