import cors from "@fastify/cors";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import {
  IDEMPOTENCY_KEY_HEADER,
  REPLAYED_HEADER,
  readIdempotencyKey,
} from "../../domain/requests/idempotency-key.js";
import { RATE_LIMIT_HEADERS, rateLimitHeaders } from "../../domain/requests/rate-limit-headers.js";
import { READ_CONSISTENCY_HEADER, readReadConsistency } from "../../domain/requests/read-consistency.js";
import { DomainError } from "../../domain/shared/errors.js";
import type { Services } from "../../services/services.js";
import { createContext, tenantOf } from "../shared/context.js";
import { UserGroupWatcher } from "../user-groups/watcher.js";
import { registerApolloRoute } from "./apollo-route.js";
import { type ApolloOptions, createApolloServer, toContextError } from "./apollo-server.js";
import { CallerIdentification } from "./caller-identification.js";
import { completeErrors } from "./error-completion.js";
import { createExecutor } from "./executor.js";
import { OperationAdmission } from "./limits/operation-admission.js";
import { watchOperations } from "./operation-watch.js";
import { ReplyWriter } from "./reply-writer.js";
import { traceRootFields } from "./root-field-tracing.js";
import { createSchema } from "./schema.js";
import { Shortcut } from "./shortcut.js";
import { createEventStream } from "./streams/event-stream.js";

export const GRAPHQL_PATH = "/graphql";

/** What a page may read of a reply's headers. */
const EXPOSED_HEADERS = ["X-Request-Id", "Retry-After", ...RATE_LIMIT_HEADERS, REPLAYED_HEADER];
const DAY_S = 86_400;
const METHODS = ["GET", "POST"];

/**
 * Registers the GraphQL API, in a scope with the prefix /graphql.
 * @param options.explore answers a browser that opens the path; without it a browser is a client like others
 */
export async function registerGraphql(
  app: FastifyInstance,
  services: Services,
  options: Omit<ApolloOptions, "logger" | "tally"> & {
    /** How often a document is interpreted before it is compiled; Infinity compiles none. */
    readonly compileAfter: number;
    /** Whether documents that Apollo Server has run before are run without it. */
    readonly shortcut: boolean;
    readonly corsOrigins: readonly string[] | "*";
    readonly explore?: ((request: FastifyRequest, reply: FastifyReply) => Promise<void>) | undefined;
  },
): Promise<void> {
  const schema = createSchema(services);
  const { rootFields } = options.limits;
  // What needs more points than anybody can have is too large, not too early.
  const limits = { ...options.limits, rootFields: Math.min(rootFields, services.rateLimits.most) };
  const { tally, tracing } = services.telemetry;
  const apolloOptions = { ...options, limits, logger: app.log, tally };
  const admission = new OperationAdmission(schema, apolloOptions);
  const execute = watchOperations(createExecutor(schema, services, options), services.telemetry);
  if (tracing) traceRootFields(schema, tracing);
  const { documents } = tally.caches;
  const { replyBytes: maxReplyBytes } = limits;
  const writer = new ReplyWriter();
  const shortcut = options.shortcut
    ? new Shortcut({ admission, maxReplyBytes, execute, writer, hits: documents })
    : undefined;
  const apollo = createApolloServer(schema, admission, shortcut?.executor ?? execute, writer, apolloOptions);
  await apollo.start();
  const watcher = new UserGroupWatcher(services.userGroupWatches);
  const callers = new CallerIdentification(services.access);
  const contextOf = async (request: FastifyRequest, reply: FastifyReply) => {
    const { id, headers, ip: address } = request;
    const { authorization } = headers;
    const idempotencyKey = readIdempotencyKey(headers[IDEMPOTENCY_KEY_HEADER]);
    const consistency = readReadConsistency(headers[READ_CONSISTENCY_HEADER]);
    const identity = await callers.identityOf(request, reply);
    const signal = () => request.signal;
    const noteWrite = () => {
      request.hasWritten = true;
    };
    const origin = { id, identity, authorization, idempotencyKey, consistency, address, signal, noteWrite };
    const context = await createContext(services, watcher, origin);
    request.tenant = context.session && tenantOf(context.session);
    if (context.allowance) reply.headers(rateLimitHeaders(context.allowance));
    return context;
  };
  const contextOrError = (request: FastifyRequest, reply: FastifyReply) =>
    contextOf(request, reply).catch((error: unknown) => {
      throw toContextError(error, request.id, request.log);
    });
  const stream = createEventStream(
    schema,
    { admission, streams: services.eventStreams, contextOf },
    apolloOptions,
  );
  // Before the server waits for its connections: event streams would never end by themselves.
  app.addHook("preClose", async () => services.changes.endSubscriptions());
  if (options.corsOrigins.length > 0) {
    const origin = options.corsOrigins === "*" ? "*" : [...options.corsOrigins];
    await app.register(cors, {
      origin,
      methods: METHODS,
      exposedHeaders: EXPOSED_HEADERS,
      maxAge: DAY_S,
      strictPreflight: false,
    });
  }
  completeErrors(app);
  registerApolloRoute(app, apollo, contextOrError, {
    stream,
    ...(shortcut ? { shortcut } : {}),
    checkBody: requireOneOperation,
    async onRequest(request, reply) {
      requireMethod(request, reply);
      if (options.explore && request.method === "GET" && wantsPage(request))
        await options.explore(request, reply);
      else await callers.identify(request);
    },
  });
}

function wantsPage(request: FastifyRequest): boolean {
  return request.headers.accept?.includes("text/html") === true;
}

/** @throws DomainError `method_not_allowed` for a method that GraphQL does not have */
function requireMethod({ method }: FastifyRequest, reply: FastifyReply): void {
  if (METHODS.includes(method)) return;
  const allowed = METHODS.join(", ");
  reply.header("allow", allowed);
  throw new DomainError("method_not_allowed", `${method} is not allowed here. Use ${allowed}.`);
}

/** @throws DomainError `batching_disabled` for a list of operations */
function requireOneOperation(body: unknown): void {
  if (!Array.isArray(body)) return;
  throw new DomainError("batching_disabled", "A request carries one operation: batching is off.", {
    figures: { limit: 1, actual: body.length },
  });
}
