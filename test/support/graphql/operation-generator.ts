import {
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLInputType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isAbstractType,
  isEnumType,
  isInputObjectType,
  isListType,
  isObjectType,
  isRequiredArgument,
  isRequiredInputField,
} from "graphql";

/** Sample values by argument or input field name. */
export type KnownValues = Readonly<Record<string, readonly unknown[]>>;

export interface Operation {
  readonly query: string;
  readonly variables: Readonly<Record<string, unknown>>;
}

const DEFAULTS: KnownValues = {
  String: ["x"],
  ID: ["x"],
  Int: [1],
  Boolean: [true],
  JSON: [{}],
  DateTime: ["2100-01-01T00:00:00.000Z"],
};

/**
 * Generates operations on one root field: every known value for every argument of that name, with
 * the complete selection.
 */
export function generateOperations(
  schema: GraphQLSchema,
  kind: "query" | "mutation",
  field: GraphQLField<unknown, unknown>,
  known: KnownValues,
): Operation[] {
  // Arguments with a default may be omitted.
  const typeOf = (argument: GraphQLArgument) =>
    isRequiredArgument(argument) ? argument.type : getNullableType(argument.type);
  const variables = field.args.map((argument) => `$${argument.name}: ${typeOf(argument)}`).join(", ");
  const args = field.args.map(({ name }) => `${name}: $${name}`).join(", ");
  const call = args === "" ? field.name : `${field.name}(${args})`;
  const query = `${kind} ${variables === "" ? "" : `(${variables})`} { ${call} ${select(schema, field.type, [])} }`;
  return variants(field.args, isRequiredArgument, known).map((values) => ({ query, variables: values }));
}

/** The complete selection of a type, without repeating types. */
function select(schema: GraphQLSchema, type: GraphQLOutputType, path: readonly string[]): string {
  const named = getNamedType(type);
  if (isAbstractType(named)) {
    const types = schema.getPossibleTypes(named).filter(({ name }) => !path.includes(name));
    return `{ __typename ${types.map((each) => `... on ${each.name} ${select(schema, each, path)}`).join(" ")} }`;
  }
  if (!isObjectType(named)) return "";
  const deeper = [...path, named.name];
  const fields = Object.values(named.getFields()).filter((field) => {
    if (field.args.some(isRequiredArgument)) return false;
    return !deeper.includes(getNamedType(field.type).name);
  });
  return `{ __typename ${fields.map((field) => `${field.name} ${select(schema, field.type, deeper)}`).join(" ")} }`;
}

/** Objects with the required fields and, in turn, every value of every field. */
function variants<Field extends GraphQLArgument | GraphQLInputField>(
  fields: readonly Field[],
  isRequired: (field: Field) => boolean,
  known: KnownValues,
): Readonly<Record<string, unknown>>[] {
  const required = Object.fromEntries(
    fields.filter(isRequired).map((field) => [field.name, valuesOf(field.type, field.name, known)[0]]),
  );
  const others = fields.flatMap((field) =>
    valuesOf(field.type, field.name, known).map((value) => ({ ...required, [field.name]: value })),
  );
  return [required, ...others];
}

function valuesOf(type: GraphQLInputType, name: string, known: KnownValues): readonly unknown[] {
  const nullable = getNullableType(type);
  if (isListType(nullable)) {
    return known[name] ?? valuesOf(nullable.ofType, name, known).map((value) => [value]);
  }
  if (isInputObjectType(nullable) && nullable.isOneOf) {
    return Object.values(nullable.getFields()).flatMap((field) =>
      valuesOf(field.type, field.name, known).map((value) => ({ [field.name]: value })),
    );
  }
  if (isInputObjectType(nullable))
    return variants(Object.values(nullable.getFields()), isRequiredInputField, known);
  if (isEnumType(nullable)) return nullable.getValues().map((value) => value.name);
  return known[name] ?? DEFAULTS[getNamedType(nullable).name] ?? [];
}
