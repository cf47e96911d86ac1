import { type GraphQLSchema, parse, validate } from "graphql";
import { DomainError } from "../../domain/shared/errors.js";

/** Prefix of SHA-256 IDs in the GraphQL over HTTP proposal for persisted documents; manifests omit it. */
const HASH_PREFIX = "sha256:";

/** The document of a request, by text or ID; the text takes precedence. */
interface DocumentReference {
  readonly text: string | undefined;
  readonly id: string | undefined;
}

/** Allow-list of persisted queries. */
export class PersistedQueries {
  readonly #known: ReadonlySet<string>;

  /** @param texts document texts by ID */
  constructor(private readonly texts: ReadonlyMap<string, string>) {
    this.#known = new Set(texts.values());
  }

  /** Returns the text of an allow-listed document, or null. */
  find({ text, id }: DocumentReference): string | null {
    if (text !== undefined) return this.#known.has(text) ? text : null;
    if (id === undefined) return null;
    return this.texts.get(id) ?? this.texts.get(withoutPrefix(id)) ?? null;
  }
}

export function queryNotAllowed(): DomainError {
  return new DomainError(
    "query_not_allowed",
    "The query is not on the service's allow-list. Send a persisted query that is.",
  );
}

/**
 * Finds the first document that is not valid for the schema.
 * @param texts document texts by ID
 * @returns its ID and the error message
 */
export function findInvalidDocument(
  texts: ReadonlyMap<string, string>,
  schema: GraphQLSchema,
): { readonly id: string; readonly message: string } | undefined {
  for (const [id, text] of texts) {
    const message = findDocumentError(text, schema);
    if (message !== undefined) return { id, message };
  }
  return undefined;
}

function findDocumentError(text: string, schema: GraphQLSchema): string | undefined {
  try {
    return validate(schema, parse(text))[0]?.message;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function withoutPrefix(id: string): string {
  return id.startsWith(HASH_PREFIX) ? id.slice(HASH_PREFIX.length) : id;
}
