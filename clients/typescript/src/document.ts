import type { DocumentNode } from "graphql";

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

/**
 * Returns the text of a document. Only parsed documents need the package `graphql`, which is installed in that case.
 * @throws TypeError if it is not a document
 */
export async function textOf(document: unknown): Promise<string> {
  if (typeof document === "string" || document instanceof String) return document.toString();
  if (!isDocumentNode(document))
    throw new TypeError("`document` must be a GraphQL document, as a string or parsed.");
  const { print } = await import("graphql");
  return print(document);
}

function isDocumentNode(value: unknown): value is DocumentNode {
  return typeof value === "object" && value !== null && "kind" in value && value.kind === "Document";
}
