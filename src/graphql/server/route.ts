import type { WebSocket } from "@fastify/websocket";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { GraphQLFormattedError } from "graphql";
import { DomainError } from "../../domain/shared/errors.js";
import type { WorkQueue } from "../../services/requests/work-queue.js";
import type { Metrics } from "../../telemetry/metrics.js";
import type { GraphqlContext } from "../shared/context.js";
import { countError } from "../shared/error-metrics.js";
import { isLargerThan, replyTooLarge } from "../shared/reply-budget.js";
import type { ApolloHandler } from "./apollo-server.js";
import type { FastPath } from "./fast-path.js";
import type { Operations } from "./operations/operations.js";
import type { OperationReply } from "./operations/reply.js";
import { ReplyWriter } from "./reply-writer.js";
import { acceptsEventStream } from "./streams/event-stream.js";

type Handler = (request: FastifyRequest, reply: FastifyReply) => Promise<void>;

interface RouteOptions {
  /** Runs before the body is read. */
  readonly onRequest: Handler;
  readonly contextOf: (request: FastifyRequest, reply: FastifyReply) => Promise<GraphqlContext>;
  readonly operations: Operations;
  readonly apollo: ApolloHandler;
  /** Undefined if Apollo Server handles every request. */
  readonly fastPath: FastPath | undefined;
  readonly stream: Handler;
  readonly webSocket: (socket: WebSocket, request: FastifyRequest) => void;
  readonly work: WorkQueue;
  readonly maxReplyBytes: number;
  readonly metrics: Metrics;
}

/** In bytes: fits the largest site configuration as an escaped JSON string (decision 12). */
const BODY_LIMIT = 4 * 1024 * 1024;

const GRAPHQL_MEDIA_TYPE = "application/graphql-response+json";
/** Error codes for invalid documents and variables, as opposed to malformed HTTP requests. */
const DOCUMENT_ERRORS = new Set<unknown>([
  "GRAPHQL_PARSE_FAILED",
  "GRAPHQL_VALIDATION_FAILED",
  "BAD_USER_INPUT",
]);

/** Registers the route for queries, mutations and subscriptions at the prefix of the scope. */
export function registerGraphqlRoute(app: FastifyInstance, options: RouteOptions): void {
  const { contextOf, operations, apollo, fastPath, work, maxReplyBytes } = options;
  const writer = new ReplyWriter();

  app.addHook("onSend", (request, reply, _payload, done) => {
    // Clients that support GraphQL's media type ignore the errors in a failed response of another type.
    if (reply.statusCode >= 400 && acceptsGraphqlMediaType(request)) {
      reply.type(`${GRAPHQL_MEDIA_TYPE}; charset=utf-8`);
    }
    done();
  });
  app.addHook("onClose", () => apollo.stop());
  const route = {
    url: "/",
    prefixTrailingSlash: "no-slash",
    bodyLimit: BODY_LIMIT,
    onRequest: options.onRequest,
    async handler(request: FastifyRequest, reply: FastifyReply) {
      requireOneOperation(request.body);
      const turn = work.turn(request.ip);
      if (turn) {
        await turn;
        // Answered at its deadline, or abandoned.
        if (reply.sent || reply.raw.destroyed) return reply;
      }
      if (acceptsEventStream(request)) return options.stream(request, reply);
      const match = fastPath?.match(request);
      const { status, headers, result } = match
        ? await operations.run(match.prepared, match.variables, await contextOf(request, reply))
        : withRequestId(
            await apollo.handle(request, () => contextOf(request, reply)),
            request,
            options.metrics,
          );
      const writing = writer.write(result);
      const text = typeof writing === "string" ? writing : await writing;
      if (isLargerThan(text, maxReplyBytes)) throw replyTooLarge(maxReplyBytes);
      reply.headers(headers);
      if (result.errors) reply.code(statusFor(request, status, result.errors));
      if (match) reply.header("content-type", match.contentType);
      else fastPath?.recordReply(request, reply);
      return text;
    },
  } as const;
  app.route({ ...route, method: app.supportedMethods.filter((method) => method !== "GET") });
  app.route({ ...route, method: "GET", wsHandler: options.webSocket });
}

/** Adds the request ID to errors that Apollo Server raised before the context was created. */
function withRequestId(answer: OperationReply, { id }: FastifyRequest, metrics: Metrics): OperationReply {
  const { errors } = answer.result;
  if (!errors) return answer;
  const completed = errors.map((error): GraphQLFormattedError => {
    const { extensions } = error;
    if (extensions?.["requestId"] !== undefined) return error;
    countError(metrics, extensions?.["code"]);
    return { ...error, extensions: { ...extensions, requestId: id } };
  });
  return { ...answer, result: { ...answer.result, errors: completed } };
}

/** Returns the HTTP status: GraphQL over HTTP wants 200 for invalid documents if the client does not accept GraphQL's media type. */
function statusFor(
  request: FastifyRequest,
  status: number,
  errors: readonly GraphQLFormattedError[],
): number {
  const codes = errors.map(({ extensions }) => extensions?.["code"]);
  if (status === 400 && !acceptsGraphqlMediaType(request) && codes.every((code) => DOCUMENT_ERRORS.has(code)))
    return 200;
  if (status >= 400) request.errorCode = String(codes[0]).toLowerCase();
  return status;
}

function acceptsGraphqlMediaType({ headers: { accept } }: FastifyRequest): boolean {
  return accept?.includes(GRAPHQL_MEDIA_TYPE) === true;
}

/** @throws DomainError `batching_disabled` for a list of operations */
function requireOneOperation(body: unknown): void {
  if (!Array.isArray(body)) return;
  throw new DomainError(
    "batching_disabled",
    "Batching is not supported. Send each operation in its own request.",
    {
      details: { limit: 1, actual: body.length },
    },
  );
}
