import {
  type GraphQLInputField,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  type GraphQLResolveInfo,
  getNullableType,
  isInputObjectType,
  isListType,
  valueFromASTUntyped,
} from "graphql";
import { Directive, Field } from "type-graphql";
import type { FieldPath } from "../../domain/shared/errors.js";
import { FieldErrors } from "../../domain/shared/field-parsing.js";
import { isBlank, isObject, isPresent } from "../../domain/shared/json.js";
import { nullable } from "./nullable.js";

/** Marks the AST node of an input field: TypeGraphQL 2.0 loses the extensions of inherited fields. */
const MAY_LACK_VALUE = "mayLackValue";
/** The field of a mutation's input that selects what to change; the field `all` beside it selects everything. */
const FILTER = "filter";

type InputFieldType = () => object;

/**
 * Declares a nullable field of a mutation's input to which null, or a variable that was not sent, may be given: its description says what
 * null means, and a variable that was not sent counts as an omitted field. Mutations refuse both for all other fields (decision 58).
 */
export function OptionalField(type: InputFieldType, description: string, defaultValue?: unknown) {
  return (prototype: object, name: string): void => {
    Field(type, { ...nullable(description), defaultValue })(prototype, name);
    Directive(`@${MAY_LACK_VALUE}`)(prototype, name);
  };
}

/** Returns whether an input field was declared by `OptionalField`. */
export function mayLackValue({ astNode }: GraphQLInputField): boolean {
  return astNode?.directives?.some(({ name }) => name.value === MAY_LACK_VALUE) === true;
}

/**
 * Checks the input of a mutation as it was sent, in the document and in variables: a variable that was not sent is missing in the
 * coerced input, so that a condition, guard or reference would be lost.
 * @throws DomainError `invalid_field` with every field that lacks a value, and filters without a condition
 */
export function requireSentValues({ parentType, fieldName, fieldNodes, variableValues }: GraphQLResolveInfo) {
  const errors = new FieldErrors("invalid_field");
  const definitions = parentType.getFields()[fieldName]?.args ?? [];
  for (const { name, value } of fieldNodes[0]?.arguments ?? []) {
    const definition = definitions.find((each) => each.name === name.value);
    // Objects of the document keep variables that were not sent as undefined members.
    if (definition) checkValue(definition.type, valueFromASTUntyped(value, variableValues), [], errors);
  }
  errors.throwIfAny();
}

function checkValue(type: GraphQLInputType, value: unknown, path: FieldPath, errors: FieldErrors): void {
  const nullableType = getNullableType(type);
  const isCondition = path.includes(FILTER) && path.at(-1) !== FILTER;
  if (!isPresent(value)) {
    const rule =
      value === null
        ? "must not be null; omit it instead"
        : "has a variable that was not sent; send it, or omit the field";
    errors.add(path, rule);
  } else if (isListType(nullableType)) {
    const items: readonly unknown[] = Array.isArray(value) ? value : [value];
    for (const [index, item] of items.entries())
      checkValue(nullableType.ofType, item, [...path, String(index)], errors);
  } else if (isCondition && isBlank(value)) {
    errors.add(path, "must not be blank or empty");
  } else if (isInputObjectType(nullableType) && isObject(value)) {
    checkFields(nullableType, value, path, errors);
  }
}

function checkFields(
  type: GraphQLInputObjectType,
  value: Readonly<Record<string, unknown>>,
  path: FieldPath,
  errors: FieldErrors,
): void {
  const fields = type.getFields();
  for (const [name, member] of Object.entries(value)) {
    const field = fields[name];
    if (!field || (!isPresent(member) && mayLackValue(field))) continue;
    checkValue(field.type, member, [...path, name], errors);
  }
  const { [FILTER]: filter, all } = value;
  if (!fields[FILTER] || !isObject(filter)) return;
  const hasCondition = Object.keys(filter).length > 0;
  if (hasCondition && all === true)
    errors.add([...path, "all"], "must not be true if `filter` has conditions");
  if (!hasCondition && all !== true)
    errors.add([...path, FILTER], "must have a condition; to select everything, send `all: true`");
}
