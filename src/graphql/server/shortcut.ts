import type { FastifyReply, FastifyRequest } from "fastify";
import type { DocumentNode, OperationDefinitionNode } from "graphql";
import { Kind } from "graphql";
import { LRUCache } from "lru-cache";
import { REPLAYED_HEADER } from "../../domain/requests/idempotency-key.js";
import { DomainError } from "../../domain/shared/errors.js";
import { isGiven, isObject } from "../../domain/shared/json.js";
import type { HitCount } from "../../telemetry/counts.js";
import type { GraphqlContext } from "../shared/context.js";
import { isLargerThan } from "../shared/reply-budget.js";
import type { Executor, ReadyOperation } from "./executor.js";
import type { OperationAdmission } from "./limits/operation-admission.js";
import type { ReplyWriter } from "./reply-writer.js";

/** How many characters of documents are known; each of them takes some 60 bytes once it is parsed. */
const MAX_CHARACTERS = 500_000;
/** The most Accept headers of which it is known what they lead to. */
const MAX_ACCEPTED = 100;
/** What a page of another site cannot send unasked. */
const JSON_TYPE = /^application\/json\s*(?:;|$)/;

/** A document with one operation that Apollo Server has let run. */
interface KnownDocument {
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
}

/** A request for one. */
type Known = KnownDocument & Omit<ReadyOperation, "context" | "onReplay">;

/** What answers a request, or leaves it to Apollo Server: with the context that it has by now. */
export interface Attempt {
  readonly text?: string;
  readonly context?: Promise<GraphqlContext>;
}

/**
 * Answers what Apollo Server would answer in the same way once more: an operation that it has let run before, sent again by POST, and
 * without errors (decision 41). Whatever else it may be, a refusal, an error, another kind of request, is Apollo Server's to answer.
 */
export class Shortcut {
  readonly #admission: OperationAdmission;
  readonly #maxReplyBytes: number;
  readonly #execute: Executor;
  readonly #writer: ReplyWriter;
  readonly #hits: HitCount;
  readonly #known = new LRUCache<string, KnownDocument>({
    maxSize: MAX_CHARACTERS,
    sizeCalculation: (_, source) => source.length,
  });
  readonly #contentTypes = new LRUCache<string, string>({ max: MAX_ACCEPTED });

  /**
   * @param options.admission decides which operations run
   * @param options.execute runs operations
   * @param options.writer writes their replies, as for Apollo Server
   * @param options.hits counts how many documents were known
   */
  constructor(options: {
    readonly admission: OperationAdmission;
    readonly maxReplyBytes: number;
    readonly execute: Executor;
    readonly writer: ReplyWriter;
    readonly hits: HitCount;
  }) {
    this.#hits = options.hits;
    this.#admission = options.admission;
    this.#maxReplyBytes = options.maxReplyBytes;
    this.#execute = options.execute;
    this.#writer = options.writer;
  }

  /** What Apollo Server is to run operations with: what it lets run becomes known, and what has run already does not run again. */
  readonly executor: Executor = async (ready) => {
    this.#learn(ready);
    return ready.context.settled ?? this.#execute(ready);
  };

  /** Notes as what type Apollo Server has sent a reply. */
  noteReply({ headers: { accept = "" } }: FastifyRequest, reply: FastifyReply): void {
    const type = reply.getHeader("content-type");
    if (reply.statusCode !== 200 || typeof type !== "string") return;
    this.#contentTypes.set(accept, type);
  }

  /** @param contextOf makes the context of a request; it is not called again for one that has one by now */
  async attempt(
    request: FastifyRequest,
    reply: FastifyReply,
    contextOf: (request: FastifyRequest, reply: FastifyReply) => Promise<GraphqlContext>,
  ): Promise<Attempt> {
    const contentType = this.#contentTypes.get(request.headers.accept ?? "");
    if (contentType === undefined || request.method !== "POST" || !isJson(request)) return {};
    const ready = this.#find(request.body);
    if (!ready) {
      this.#hits.misses += 1;
      return {};
    }
    this.#hits.hits += 1;
    const preparing = contextOf(request, reply);
    const context = await preparing.catch(() => null);
    if (!context || !this.#mayRun(ready, context)) return { context: preparing };
    const running = this.#execute({
      ...ready,
      context,
      onReplay: () => reply.header(REPLAYED_HEADER, "true"),
    });
    const result = await running.catch(() => null);
    if (!result?.data || result.errors) return { context: Promise.resolve({ ...context, settled: running }) };
    const writing = this.#writer.write({ data: result.data });
    const text = typeof writing === "string" ? writing : await writing;
    if (isLargerThan(text, this.#maxReplyBytes))
      return { context: Promise.resolve({ ...context, settled: running }) };
    reply.header("content-type", contentType);
    return { text };
  }

  #find(body: unknown): Known | null {
    if (!isObject(body)) return null;
    const { query: source, variables, operationName, extensions } = body;
    const known = typeof source === "string" ? this.#known.get(source) : undefined;
    if (!known || typeof source !== "string" || isGiven(extensions)) return null;
    const name = known.operation.name?.value;
    if (isGiven(operationName) && operationName !== name) return null;
    if (isGiven(variables) && !isObject(variables)) return null;
    // As it was sent: it is a part of what an idempotent request is known by.
    const sentName = typeof operationName === "string" ? operationName : undefined;
    return { ...known, source, operationName: sentName, variables: isObject(variables) ? variables : {} };
  }

  #mayRun(known: Known, context: GraphqlContext): boolean {
    try {
      return this.#admission.admit(context, known).length === 0;
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      // Apollo Server comes to the same end, and tells why.
      return false;
    }
  }

  #learn({ document, operation, source }: ReadyOperation): void {
    if (!operation || this.#known.has(source)) return;
    if (document.definitions.filter(({ kind }) => kind === Kind.OPERATION_DEFINITION).length > 1) return;
    // For more than one, a rate limit has to be asked once more.
    if (this.#admission.measure(document, operation).rootFields > 1) return;
    this.#known.set(source, { document, operation });
  }
}

function isJson({ headers }: FastifyRequest): boolean {
  return JSON_TYPE.test(headers["content-type"] ?? "");
}
