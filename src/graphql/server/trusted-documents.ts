import { type GraphQLSchema, parse, validate } from "graphql";
import { DomainError } from "../../domain/shared/errors.js";

/** The prefix of a SHA-256 in the proposal for persisted documents of GraphQL over HTTP; lists of documents go without. */
const HASH_PREFIX = "sha256:";

/** How a request names its document; its text, if there is one, decides. */
interface DocumentReference {
  readonly text: string | undefined;
  readonly id: string | undefined;
}

/** The only documents that run, where there are such. */
export class TrustedDocuments {
  readonly #texts: ReadonlyMap<string, string>;
  readonly #known: ReadonlySet<string>;

  /** @param texts the documents by their ids */
  constructor(texts: ReadonlyMap<string, string>) {
    this.#texts = texts;
    this.#known = new Set(texts.values());
  }

  /** @returns the text of a trusted document, or null */
  find({ text, id }: DocumentReference): string | null {
    if (text !== undefined) return this.#known.has(text) ? text : null;
    if (id === undefined) return null;
    return this.#texts.get(id) ?? this.#texts.get(withoutPrefix(id)) ?? null;
  }
}

export function untrustedDocument(): DomainError {
  return new DomainError("untrusted_document", "This is none of the documents that may run here.");
}

/**
 * Looks for a document that could never run.
 * @param texts the documents by their ids
 * @returns the id of the first one, and what is wrong with it
 */
export function findFaultyDocument(
  texts: ReadonlyMap<string, string>,
  schema: GraphQLSchema,
): { readonly id: string; readonly fault: string } | undefined {
  for (const [id, text] of texts) {
    const fault = findFault(text, schema);
    if (fault !== undefined) return { id, fault };
  }
  return undefined;
}

function findFault(text: string, schema: GraphQLSchema): string | undefined {
  try {
    return validate(schema, parse(text))[0]?.message;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function withoutPrefix(id: string): string {
  return id.startsWith(HASH_PREFIX) ? id.slice(HASH_PREFIX.length) : id;
}
