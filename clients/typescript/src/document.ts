import type { ExecutableDefinitionNode, SelectionNode, TypeNode, ValueNode } from "graphql";

/**
 * A GraphQL document with the types of its result and variables, as created by GraphQL Code Generator and gql.tada:
 * `TypedDocumentNode` or as `TypedDocumentString`.
 */
export interface TypedDocument<Result, Variables> {
  __apiType?: ((variables: Variables) => Result) | undefined;
}

/** A document of this package. */
export class DocumentText<Result, Variables> extends String implements TypedDocument<Result, Variables> {
  declare __apiType?: (variables: Variables) => Result;
}

/** Returns the text of a document. @throws TypeError if it is not a document */
export function textOf(document: unknown): string {
  if (typeof document === "string" || document instanceof String) return document.toString();
  if (isParsed(document)) return document.definitions.map(printDefinition).join(" ");
  throw new TypeError("`document` must be a GraphQL document, as a string or parsed.");
}

interface Parsed {
  readonly definitions: readonly ExecutableDefinitionNode[];
}

function isParsed(value: unknown): value is Parsed {
  return typeof value === "object" && value !== null && "kind" in value && value.kind === "Document";
}

// Not `print` of graphql: bundlers would require that package, also of programs that pass strings only.

function printDefinition(node: ExecutableDefinitionNode): string {
  const selections = printDirectives(node.directives) + printSelections(node.selectionSet.selections);
  if (node.kind === "FragmentDefinition")
    return `fragment ${node.name.value} on ${node.typeCondition.name.value}${selections}`;
  const variables = node.variableDefinitions?.map(({ variable, type, defaultValue, directives }) => {
    const value = defaultValue ? `=${printValue(defaultValue)}` : "";
    return `$${variable.name.value}:${printType(type)}${value}${printDirectives(directives)}`;
  });
  return `${node.operation} ${node.name?.value ?? ""}${inParentheses(variables)}${selections}`;
}

function printSelections(selections: readonly SelectionNode[]): string {
  return `{${selections.map(printSelection).join(" ")}}`;
}

function printSelection(node: SelectionNode): string {
  const directives = printDirectives(node.directives);
  if (node.kind === "FragmentSpread") return `...${node.name.value}${directives}`;
  const selections = node.selectionSet ? printSelections(node.selectionSet.selections) : "";
  if (node.kind === "Field") {
    const alias = node.alias ? `${node.alias.value}:` : "";
    return alias + node.name.value + inParentheses(node.arguments?.map(printEntry)) + directives + selections;
  }
  const type = node.typeCondition ? ` on ${node.typeCondition.name.value}` : "";
  return `...${type}${directives}${selections}`;
}

function printDirectives(directives: ExecutableDefinitionNode["directives"]): string {
  const texts = directives?.map(
    (node) => `@${node.name.value}${inParentheses(node.arguments?.map(printEntry))}`,
  );
  return texts?.join("") ?? "";
}

function printEntry({
  name,
  value,
}: {
  readonly name: { readonly value: string };
  readonly value: ValueNode;
}) {
  return `${name.value}:${printValue(value)}`;
}

function printValue(node: ValueNode): string {
  switch (node.kind) {
    case "Variable":
      return `$${node.name.value}`;
    case "NullValue":
      return "null";
    case "StringValue":
      return JSON.stringify(node.value);
    case "ListValue":
      return `[${node.values.map(printValue).join(" ")}]`;
    case "ObjectValue":
      return `{${node.fields.map(printEntry).join(" ")}}`;
    default:
      return String(node.value);
  }
}

function printType(node: TypeNode): string {
  if (node.kind === "NamedType") return node.name.value;
  return node.kind === "ListType" ? `[${printType(node.type)}]` : `${printType(node.type)}!`;
}

function inParentheses(texts: readonly string[] | undefined): string {
  return texts?.length ? `(${texts.join(" ")})` : "";
}
