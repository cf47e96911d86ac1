import type { FastifyReply, FastifyRequest } from "fastify";
import { LRUCache } from "lru-cache";
import { isObject, isPresent } from "../../domain/shared/json.js";
import type { CountLookup } from "../../telemetry/metrics.js";
import type { Variables } from "./limits/amount.js";
import type { Operations } from "./operations/operations.js";
import type { PreparedOperation } from "./operations/prepared-operation.js";

/** Maximum number of Accept headers whose content type is cached. */
const MAX_ACCEPT_HEADERS = 100;
/** A cross-site page cannot send this content type without a preflight request. */
const JSON_TYPE = /^application\/json\s*(?:;|$)/;

/** A request that can run without Apollo Server. */
interface FastPathMatch {
  readonly prepared: PreparedOperation;
  readonly variables: Variables;
  readonly contentType: string;
}

/** Recognizes plain POST requests whose operation has run before (decision 41). */
export class FastPath {
  readonly #operations: Operations;
  readonly #countLookup: CountLookup;
  /** Content types negotiated by Apollo Server, by Accept header. */
  readonly #contentTypes = new LRUCache<string, string>({ max: MAX_ACCEPT_HEADERS });

  constructor(operations: Operations, countLookup: CountLookup) {
    this.#operations = operations;
    this.#countLookup = countLookup;
  }

  match({ method, headers, body }: FastifyRequest): FastPathMatch | null {
    const { accept = "", "content-type": type = "" } = headers;
    const contentType = this.#contentTypes.get(accept);
    if (contentType === undefined || method !== "POST" || !JSON_TYPE.test(type) || !isObject(body))
      return null;
    const { query, extensions } = body;
    const variables = body["variables"] ?? {};
    const operationName = body["operationName"] ?? undefined;
    const hasName = typeof operationName === "string" || operationName === undefined;
    const isPlain = typeof query === "string" && hasName && isObject(variables) && !isPresent(extensions);
    const prepared = isPlain ? this.#operations.find(query, operationName) : undefined;
    if (isPlain && prepared) {
      this.#countLookup("hit");
      return { prepared, variables, contentType };
    }
    this.#countLookup("miss");
    return null;
  }

  /** Caches the content type that Apollo Server chose for a reply. */
  recordReply({ headers: { accept = "" } }: FastifyRequest, reply: FastifyReply): void {
    const type = reply.getHeader("content-type");
    if (reply.statusCode === 200 && typeof type === "string") this.#contentTypes.set(accept, type);
  }
}
