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
import { isObject } from "../../../domain/shared/json.js";
import type { Variables } from "../limits/amount.js";

/** Adds the defaults that are missing in a value of an input type. */
type Complete = (value: unknown) => unknown;

/**
 * Returns a function that adds the defaults of input objects' fields to the variables of an operation: compiled code (graphql-jit 0.8)
 * ignores them. Values are not validated. No input type of the schema contains itself (test/unit/compiled-operations.test.ts).
 * @returns null where no variable's type has such a field
 */
export function inputDefaults(
  schema: GraphQLSchema,
  { variableDefinitions = [] }: OperationDefinitionNode,
): ((variables: Variables) => Variables) | null {
  const completers = variableDefinitions.flatMap(({ variable, type: node }) => {
    const type: unknown = typeFromAST(schema, node);
    const complete = isInputType(type) ? completerOf(type) : null;
    return complete ? [[variable.name.value, complete] as const] : [];
  });
  return completers.length === 0 ? null : (variables) => completeFields(variables, completers);
}

function completerOf(type: GraphQLInputType): Complete | null {
  const nullable = getNullableType(type);
  if (isListType(nullable)) {
    const complete = completerOf(nullable.ofType);
    // A single value stands for a list of one.
    return complete && ((value) => (Array.isArray(value) ? value.map(complete) : complete(value)));
  }
  if (!isInputObjectType(nullable)) return null;
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

/** A default as a caller would write it. */
function externalValue(value: unknown, type: GraphQLInputType): unknown {
  const node = astFromValue(value, type);
  return node ? valueFromASTUntyped(node) : value;
}
