import type { FastifyReply, FastifyRequest } from "fastify";
import {
  type DocumentNode,
  type ExecutionArgs,
  type ExecutionResult,
  GraphQLError,
  type GraphQLSchema,
  getOperationAST,
  NoSchemaIntrospectionCustomRule,
  parse,
  specifiedRules,
  subscribe,
  validate,
} from "graphql";
import { createHandler } from "graphql-sse/lib/use/fastify";
import { DomainError, internalError } from "../domain/errors.js";
import { isObject } from "../domain/json.js";
import type { ApolloOptions } from "./apollo-server.js";
import type { GraphqlContext } from "./context.js";
import { domainErrorOf, errorMessage, extensionsOf } from "./error-format.js";
import { countShownError } from "./error-tally.js";
import { requireFrontEndFields } from "./front-end-fields.js";
import { requireWithin } from "./limits-plugin.js";
import { measureOperation } from "./operation-measure.js";
import { tokenLimitError } from "./token-limit.js";

/** Events that a client may leave unread in its connection before it is cut off. */
const MAX_UNREAD = 100;

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
  options: ApolloOptions,
  contextOf: (request: FastifyRequest, reply: FastifyReply) => Promise<GraphqlContext>,
): (request: FastifyRequest, reply: FastifyReply) => Promise<void> {
  const accepted = new WeakMap<object, AsyncIterable<ExecutionResult>>();
  const unread = new WeakMap<FastifyReply, number>();
  const stream = createHandler({
    onSubscribe: ({ raw }) => accepted.get(raw),
    onNext(_context, { raw, context: { reply } }, result) {
      // The library queues without a bound what a client does not read.
      const waiting = reply.raw.writableLength === 0 ? 0 : (unread.get(reply) ?? 0) + 1;
      unread.set(reply, waiting);
      if (waiting > MAX_UNREAD) reply.raw.destroy();
      if (!result.errors) return undefined;
      const errors = result.errors.map((error) => toCallerError(error, raw));
      for (const { extensions } of errors) countShownError(options.tally, extensions["code"]);
      return { ...result, errors };
    },
  });
  return async (request, reply) => {
    const contextValue = await contextOf(request, reply);
    const events = await subscribe(prepare(request.body, schema, options, contextValue));
    if (!(Symbol.asyncIterator in events)) throw refusal(events);
    accepted.set(request, events);
    // The library wants to see these, though what runs has been settled.
    request.headers.accept = "text/event-stream";
    request.body = { query: "subscription" };
    request.isStream = true;
    reply.header("x-accel-buffering", "no").hijack();
    await stream(request, reply).catch((error: unknown) => {
      // A client that has gone before its stream has begun is no failure of ours.
      if (!reply.raw.destroyed) throw error;
    });
  };
}

function prepare(
  body: unknown,
  schema: GraphQLSchema,
  options: ApolloOptions,
  contextValue: GraphqlContext,
): ExecutionArgs {
  if (!isObject(body)) throw new DomainError("invalid_json", "The body must be a JSON object.");
  const { operationName, variables, documentId, extensions } = body;
  const persisted = isObject(extensions) ? extensions["persistedQuery"] : undefined;
  const hash = isObject(persisted) ? persisted["sha256Hash"] : undefined;
  const document = read(body["query"], documentId ?? hash, schema, options);
  const name = typeof operationName === "string" ? operationName : undefined;
  const operation = getOperationAST(document, name);
  if (operation?.operation !== "subscription") {
    throw new DomainError("bad_request", "Only one subscription is answered with an event stream.");
  }
  const values = isObject(variables) ? variables : {};
  requireWithin(options.limits, measureOperation(schema, document, operation), values);
  requireFrontEndFields(contextValue, document, schema);
  return { schema, document, operationName: name, variableValues: values, contextValue };
}

/** The document of a request, parsed and valid. @throws DomainError, GraphQLError */
function read(text: unknown, id: unknown, schema: GraphQLSchema, options: ApolloOptions): DocumentNode {
  const { trustedDocuments, limits, introspection } = options;
  const reference = {
    text: typeof text === "string" ? text : undefined,
    id: typeof id === "string" ? id : undefined,
  };
  const source = trustedDocuments ? trustedDocuments.find(reference) : reference.text;
  if (source === null) {
    throw new DomainError("untrusted_document", "This is none of the documents that may run here.");
  }
  const document = parseWithin(source ?? "", limits.tokens);
  const rules = introspection ? specifiedRules : [...specifiedRules, NoSchemaIntrospectionCustomRule];
  const [fault] = validate(schema, document, rules);
  if (fault) throw new DomainError("bad_request", fault.message, { cause: fault });
  return document;
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
