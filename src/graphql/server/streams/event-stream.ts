import type { FastifyReply, FastifyRequest } from "fastify";
import {
  createSourceEventStream,
  type DocumentNode,
  type ExecutionArgs,
  type ExecutionResult,
  execute,
  GraphQLError,
  type GraphQLSchema,
  getOperationAST,
  parse,
} from "graphql";
import { LRUCache } from "lru-cache";
import { DomainError, internalError } from "../../../domain/shared/errors.js";
import { isObject } from "../../../domain/shared/json.js";
import type { EventStreams } from "../../../services/requests/event-streams.js";
import type { GraphqlContext } from "../../shared/context.js";
import { domainErrorOf, errorMessage, extensionsOf } from "../../shared/error-format.js";
import { countShownError } from "../../shared/error-tally.js";
import { WatchEvent } from "../../user-groups/watch-event.js";
import type { ApolloOptions } from "../apollo-server.js";
import type { OperationAdmission } from "../limits/operation-admission.js";
import { tokenLimitError } from "../limits/token-limit.js";
import { EventRenderer, encodeEvent, type RenderedSubscription } from "./event-renderer.js";
import { EventWriter } from "./event-writer.js";
import { UnreadBudget } from "./unread-budget.js";

/** How long a subscription's document and variables may be together, as they stay in memory while it is open. */
const MAX_CHARACTERS = 16_384;
/** How many characters of documents are kept parsed, for all subscriptions: one that is not is parsed for each event. */
const PARSED_CHARACTERS = 1_048_576;

/** A subscription that may run. A parsed document takes a hundred times the memory of its text, so only the text is kept. */
type Prepared = RenderedSubscription & Pick<ExecutionArgs, "schema" | "hideSuggestions">;

interface EventStreamParts {
  /** Decides which operations run. */
  readonly admission: OperationAdmission;
  readonly streams: EventStreams;
  /** Creates the context of a request. */
  readonly contextOf: (request: FastifyRequest, reply: FastifyReply) => Promise<GraphqlContext>;
}

/**
 * Tells a request for an event stream (the distinct connections mode of GraphQL over server-sent events). Whoever
 * names JSON first gets JSON: urql names both for queries and mutations.
 */
export function wantsEvents({ method, headers: { accept = "" } }: FastifyRequest): boolean {
  const events = accept.indexOf("text/event-stream");
  const json = accept.search(/application\/(?:[\w-]+\+)?json/);
  return method === "POST" && events >= 0 && (json < 0 || events < json);
}

/**
 * Makes what serves subscriptions. What is wrong with a request is answered before the stream begins.
 * @param contextOf makes the context of a request
 */
export function createEventStream(
  schema: GraphQLSchema,
  { admission, streams, contextOf }: EventStreamParts,
  options: ApolloOptions,
): (request: FastifyRequest, reply: FastifyReply) => Promise<void> {
  const { tally } = options;
  const budget = new UnreadBudget(streams.limits, tally);
  const renderer = new EventRenderer();
  const documents = new LRUCache<string, DocumentNode>({
    maxSize: PARSED_CHARACTERS,
    sizeCalculation: (_, source) => source.length + 1,
  });
  const parsed = (source: string) => {
    const document = documents.get(source) ?? parse(source);
    documents.set(source, document);
    return document;
  };

  async function open(request: FastifyRequest, reply: FastifyReply, contextValue: GraphqlContext) {
    const prepared = prepare(request.body, contextValue);
    // It stays as long as the request does.
    request.body = undefined;
    const args = { ...prepared, document: parsed(prepared.source) };
    const source = await createSourceEventStream(args);
    if (!(Symbol.asyncIterator in source)) throw refusal(source);
    const events = source[Symbol.asyncIterator]();
    // The request was answered while this waited for the subscription.
    if (request.deadline?.isOver) {
      await events.return?.();
      return;
    }
    request.isStream = true;
    reply
      .header("content-type", "text/event-stream; charset=utf-8")
      .header("x-accel-buffering", "no")
      .hijack();
    // The client may have gone meanwhile.
    if (request.raw.socket.destroyed) {
      await events.return?.();
      return;
    }
    for (const [name, value] of Object.entries(reply.getHeaders())) {
      if (value !== undefined) reply.raw.setHeader(name, value);
    }
    const writer = new EventWriter(reply.raw, budget);
    void writer.closed.then(() => events.return?.());
    await deliver({ [Symbol.asyncIterator]: () => events }, prepared, writer, request);
    await writer.closed;
  }

  async function deliver(
    events: AsyncIterable<unknown>,
    prepared: Prepared,
    writer: EventWriter,
    request: FastifyRequest,
  ): Promise<void> {
    try {
      for await (const event of events) {
        if (!(event instanceof WatchEvent)) throw new TypeError("This is no event of a subscription.");
        // What was written before the credentials ended must not be read after that.
        if (event.endsAccess && writer.unread > 0) writer.destroy();
        const run = () => execute({ ...prepared, document: parsed(prepared.source), rootValue: event });
        const data = await renderer.render(event, prepared, run, (result) => shown(result, request));
        if (writer.isOver) return;
        if (!event.isCurrent()) continue;
        budget.reserve(writer, data.length);
        writer.next(data);
      }
    } catch (error) {
      const shownError = new GraphQLError("", { originalError: error instanceof Error ? error : null });
      writer.next(encodeEvent(shown({ data: null, errors: [shownError] }, request)));
    }
    writer.complete();
  }

  function shown(result: ExecutionResult, request: FastifyRequest): ExecutionResult {
    if (!result.errors) return result;
    const errors = result.errors.map((error) => toCallerError(error, request));
    for (const { extensions } of errors) countShownError(tally, extensions["code"]);
    return { ...result, errors };
  }

  function prepare(body: unknown, contextValue: GraphqlContext): Prepared {
    if (!isObject(body)) throw new DomainError("invalid_json", "The body must be a JSON object.");
    const { operationName, variables, documentId, extensions } = body;
    const persisted = isObject(extensions) ? extensions["persistedQuery"] : undefined;
    const hash = isObject(persisted) ? persisted["sha256Hash"] : undefined;
    const values = isObject(variables) ? variables : {};
    const source = find(body["query"], documentId ?? hash, options);
    requireShort(source, values);
    const document = documents.get(source) ?? parseWithin(source, options.limits.tokens);
    const name = typeof operationName === "string" ? operationName : undefined;
    const operation = getOperationAST(document, name);
    if (operation?.operation !== "subscription") {
      throw new DomainError("bad_request", "Only one subscription is answered with an event stream.");
    }
    const [fault] = admission.admit(contextValue, { document, operation, variables: values });
    if (fault) throw new DomainError("bad_request", fault.message, { cause: fault });
    documents.set(source, document);
    const hideSuggestions = !options.introspection;
    return { schema, source, operationName: name, variableValues: values, contextValue, hideSuggestions };
  }

  return async (request, reply) => {
    const contextValue = await contextOf(request, reply);
    const { session } = contextValue;
    const release = session ? streams.admit(session, request.ip) : () => undefined;
    try {
      await open(request, reply, contextValue);
    } finally {
      release();
    }
  };
}

/** @throws DomainError `payload_too_large` */
function requireShort(source: string, variables: object): void {
  const characters = source.length + lengthAsJson(variables);
  if (characters <= MAX_CHARACTERS) return;
  throw new DomainError(
    "payload_too_large",
    `The document and the variables of a subscription may have ${MAX_CHARACTERS} characters together.`,
    { figures: { limit: MAX_CHARACTERS } },
  );
}

function lengthAsJson(value: object): number {
  try {
    return JSON.stringify(value).length;
  } catch (error) {
    // So deep that it cannot be written.
    if (error instanceof RangeError) return Number.POSITIVE_INFINITY;
    throw error;
  }
}

/** The document that a request means. @throws DomainError `untrusted_document` */
function find(text: unknown, id: unknown, { trustedDocuments }: ApolloOptions): string {
  const reference = {
    text: typeof text === "string" ? text : undefined,
    id: typeof id === "string" ? id : undefined,
  };
  const source = trustedDocuments ? trustedDocuments.find(reference) : reference.text;
  if (source === null) {
    throw new DomainError("untrusted_document", "This is none of the documents that may run here.");
  }
  return source ?? "";
}

function parseWithin(source: string, maxTokens: number): DocumentNode {
  try {
    return parse(source, { maxTokens });
  } catch (error) {
    if (!(error instanceof GraphQLError)) throw error;
    throw (
      tokenLimitError(error, maxTokens) ?? new DomainError("bad_request", error.message, { cause: error })
    );
  }
}

function refusal({ errors = [] }: ExecutionResult): unknown {
  const [error] = errors;
  const known = domainErrorOf(error);
  if (known) return known;
  // An error without a path arose before any resolver ran: from the variables.
  return error?.path ? error.originalError : new DomainError("bad_request", error?.message ?? "No data.");
}

function toCallerError(error: GraphQLError, { id, log }: FastifyRequest): GraphQLError {
  const known = domainErrorOf(error) ?? internalError(error);
  if (known.code === "internal") log.error({ requestId: id, err: known.cause ?? known }, "request failed");
  return new GraphQLError(errorMessage(known), {
    nodes: error.nodes ?? null,
    source: error.source ?? null,
    positions: error.positions ?? null,
    path: error.path ?? null,
    extensions: extensionsOf(known, id),
  });
}
