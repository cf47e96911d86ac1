import type { ApolloServerPlugin, GraphQLRequest } from "@apollo/server";
import { DomainError } from "../../domain/shared/errors.js";
import { isObject } from "../../domain/shared/json.js";
import type { GraphqlContext } from "../shared/context.js";
import type { DocumentReference, TrustedDocuments } from "./trusted-documents.js";

const STAND_IN = "{ __typename }";

/** Lets trusted documents run and refuses everything else, before it is even parsed (decision 27). */
export function trustedDocumentsPlugin(documents: TrustedDocuments): ApolloServerPlugin<GraphqlContext> {
  return {
    async requestDidStart({ request }) {
      const text = documents.find(readReference(request));
      request.extensions = { ...request.extensions, persistedQuery: undefined };
      // Only from `didResolveOperation` on does Apollo Server make a reply of an error. Until then, a harmless document
      // stands in for one that is refused.
      request.query = text ?? STAND_IN;
      if (text !== null) return undefined;
      return {
        async didResolveOperation() {
          throw new DomainError("untrusted_document", "This is none of the documents that may run here.");
        },
      };
    },
  };
}

function readReference({ query, extensions, http }: GraphQLRequest): DocumentReference {
  const documentId =
    http?.method === "GET"
      ? new URLSearchParams(http.search).get("documentId")
      : propertyOf(http?.body, "documentId");
  const hash = propertyOf(extensions?.["persistedQuery"], "sha256Hash");
  return { text: query || undefined, id: [documentId, hash].find((id) => typeof id === "string") };
}

function propertyOf(value: unknown, name: string): unknown {
  return isObject(value) ? value[name] : undefined;
}
