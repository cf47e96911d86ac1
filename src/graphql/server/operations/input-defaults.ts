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

/** Adds missing default values to a value of an input type. */
type Complete = (value: unknown) => unknown;

/**
 * Returns a function that adds default values of input object fields to variables, because graphql-jit 0.8 ignores them. Values are not
 * validated. Relies on the schema having no recursive input type (test/unit/compiled-operations.test.ts).
 * @returns null if no variable's type has such a field
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
    // GraphQL coerces a single value to a list of one.
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

/** Converts an internal default value to its external form, as sent in variables. */
function externalValue(value: unknown, type: GraphQLInputType): unknown {
  const node = astFromValue(value, type);
  return node ? valueFromASTUntyped(node) : value;
}
