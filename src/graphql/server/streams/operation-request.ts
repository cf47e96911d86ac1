import { DomainError } from "../../../domain/shared/errors.js";
import { isObject } from "../../../domain/shared/json.js";
import type { Variables } from "../limits/operation-measure.js";
import { type PersistedQueries, queryNotAllowed } from "../persisted-queries.js";

/** Maximum combined length of a subscription's document and variables, which stay in memory while it is open. */
const MAX_CHARACTERS = 16_384;

/** An operation as sent, with the document of a persisted query. */
export interface OperationRequest {
  readonly source: string;
  readonly operationName: string | undefined;
  readonly variables: Variables;
}

/**
 * Reads an operation that arrived over an event stream or a WebSocket.
 * @param persistedQueries allow-list of documents; undefined allows every document
 * @throws DomainError `invalid_json`, `query_not_allowed`
 */
export function readOperation(
  body: unknown,
  persistedQueries: PersistedQueries | undefined,
): OperationRequest {
  if (!isObject(body)) throw new DomainError("invalid_json", "The body must be a JSON object.");
  const { operationName, documentId, extensions } = body;
  const persisted = isObject(extensions) ? extensions["persistedQuery"] : undefined;
  const hash = isObject(persisted) ? persisted["sha256Hash"] : undefined;
  const variables = isObject(body["variables"]) ? body["variables"] : {};
  // WebSocket clients must send a query: with the ID of a persisted query, it is empty.
  const text = stringOrUndefined(body["query"]) || undefined;
  const source = persistedQueries
    ? persistedQueries.find({ text, id: stringOrUndefined(documentId ?? hash) })
    : text;
  if (source === null) throw queryNotAllowed();
  return { source: source ?? "", operationName: stringOrUndefined(operationName), variables };
}

/** @throws DomainError `payload_too_large` if a subscription is too large to stay in memory */
export function requireShortSubscription({ source, variables }: OperationRequest): void {
  const characters = source.length + JSON.stringify(variables).length;
  if (characters <= MAX_CHARACTERS) return;
  throw new DomainError(
    "payload_too_large",
    `The document and variables of a subscription must not exceed ${MAX_CHARACTERS} characters in total.`,
    { details: { limit: MAX_CHARACTERS } },
  );
}

function stringOrUndefined(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
