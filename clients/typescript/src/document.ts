import type { DocumentNode } from "graphql";

/**
 * A GraphQL document that knows the types of its result and variables: what GraphQL Code Generator and gql.tada make, as
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
 * The text of a document. Only one that comes parsed needs the package `graphql`, which then is there.
 * @throws TypeError when it is none
 */
export async function textOf(document: unknown): Promise<string> {
  if (typeof document === "string" || document instanceof String) return document.toString();
  if (!isDocumentNode(document))
    throw new TypeError("document must be a GraphQL document, as text or parsed.");
  const { print } = await import("graphql");
  return print(document);
}

function isDocumentNode(value: unknown): value is DocumentNode {
  return typeof value === "object" && value !== null && "kind" in value && value.kind === "Document";
}
