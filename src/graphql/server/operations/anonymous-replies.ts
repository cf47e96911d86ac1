import type { ExecutionResult } from "graphql";
import { LRUCache } from "lru-cache";
import type { GraphqlContext } from "../../shared/context.js";
import { RawJson } from "../../shared/raw-json.js";
import type { Variables } from "../limits/amount.js";
import type { PreparedOperation } from "./prepared-operation.js";

const MAX_BYTES = 8_000_000;
/** Approximate memory for a document, per character and at least. */
const DOCUMENT_BYTES = 60;
const MIN_DOCUMENT_BYTES = 5_000;

interface AnonymousReply {
  readonly prepared: PreparedOperation;
  readonly data: Readonly<Record<string, RawJson>>;
}

/** Replies to operations without credentials, which depend on the document and its variables only. */
export class AnonymousReplies {
  readonly #cache = new LRUCache<string, AnonymousReply>({ maxSize: MAX_BYTES });

  find(
    prepared: PreparedOperation,
    variables: Variables,
    context: GraphqlContext,
  ): AnonymousReply | undefined {
    return context.session ? undefined : this.#cache.get(keyOf(prepared, variables));
  }

  /**
   * Caches a successful result of an operation without credentials.
   * @returns the result to send, whose text is not built again
   */
  add(
    prepared: PreparedOperation,
    variables: Variables,
    context: GraphqlContext,
    result: ExecutionResult,
  ): ExecutionResult {
    if (context.session || result.errors || !result.data) return result;
    const key = keyOf(prepared, variables);
    const texts = Object.entries(result.data).map(([name, value]) => [name, JSON.stringify(value)] as const);
    const data = Object.fromEntries(texts.map(([name, text]) => [name, new RawJson(text)]));
    const replyBytes = texts.reduce((sum, [, text]) => sum + text.length, 0);
    this.#cache.set(
      key,
      { prepared, data },
      { size: MIN_DOCUMENT_BYTES + key.length * DOCUMENT_BYTES + replyBytes },
    );
    return { data };
  }
}

function keyOf({ source, operationName }: PreparedOperation, variables: Variables): string {
  return JSON.stringify([source, operationName, variables]);
}
