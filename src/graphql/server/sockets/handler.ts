import type { WebSocket } from "@fastify/websocket";
import type { FastifyRequest } from "fastify";
import { type GraphQLSchema, parse } from "graphql";
import { type ConnectionInitMessage, MessageType, makeServer, parseMessage, type Server } from "graphql-ws";
import { DomainError, internalError } from "../../../domain/shared/errors.js";
import { isObject } from "../../../domain/shared/json.js";
import { isNestedDeeper, MAX_BODY_LEVELS, markInexactNumbers } from "../../../domain/shared/json-text.js";
import { tenantOf } from "../../shared/context.js";
import { CLOSE_CODES, SocketConnection } from "./connection.js";
import {
  OperationRejected,
  type SocketCaller,
  type SocketOperationOptions,
  SocketOperations,
  SocketResult,
} from "./operation.js";

/** Stands for the document of every operation. */
const PLACEHOLDER_DOCUMENT = parse("{ __typename }");
/** Messages that graphql-ws fails on, because only servers send them. */
const SERVER_MESSAGES: ReadonlySet<MessageType> = new Set([
  MessageType.ConnectionAck,
  MessageType.Next,
  MessageType.Error,
]);
/** Time in which a client must send `connection_init`. */
const INIT_TIMEOUT_MS = 3_000;

interface SocketHandlerOptions extends SocketOperationOptions {
  readonly schema: GraphQLSchema;
}

/** Serves GraphQL over WebSocket, sub-protocol `graphql-transport-ws`. */
export class SocketHandler {
  readonly #connections = new Set<SocketConnection>();
  readonly #protocol: Server<SocketCaller>;
  #isGoingAway = false;

  constructor(private readonly options: SocketHandlerOptions) {
    const operations = new SocketOperations(options);
    // graphql-ws would parse, validate, execute and format operations. Here the pipeline of HTTP requests does so, within its limits:
    // `onOperation` replaces the result of an operation by that of the pipeline, whose formatted results and errors the last two hooks send.
    this.#protocol = makeServer<ConnectionInitMessage["payload"], SocketCaller>({
      connectionInitWaitTimeout: INIT_TIMEOUT_MS,
      onConnect: ({ connectionParams, extra }) => this.#connect(connectionParams, extra),
      onSubscribe: () => ({ schema: options.schema, document: PLACEHOLDER_DOCUMENT }),
      execute: () => ({ data: null }),
      onOperation: ({ extra, subscriptions }, _id, payload) =>
        operations.start(extra, payload, Object.keys(subscriptions).length),
      onNext: (...[, , , , result]) => (result instanceof SocketResult ? result.formatted : undefined),
      onError: (_context, _id, _payload, errors) =>
        errors.flatMap(({ originalError }) =>
          originalError instanceof OperationRejected ? originalError.formatted : [],
        ),
    });
  }

  /** Serves a new WebSocket. */
  handle(socket: WebSocket, request: FastifyRequest): void {
    const connection = new SocketConnection(socket);
    const openedAt = performance.now();
    this.#connections.add(connection);
    const opened = this.#protocol.opened(
      {
        protocol: socket.protocol,
        send: (data) => connection.send(data),
        close: (code = CLOSE_CODES.internal, reason = "") => connection.close(code, reason),
        onMessage: (onMessage) => {
          socket.on("message", (data: Buffer) => this.#receive(data, onMessage, { connection, request }));
        },
      },
      { connection, request, authorization: "" },
    );
    socket.once("close", (code, reason) => {
      this.#connections.delete(connection);
      logClose(request, openedAt, code);
      opened(code, String(reason)).catch((error: unknown) => logFailure(request, error));
    });
    if (this.#isGoingAway) connection.goAway();
  }

  #receive(
    data: Buffer,
    onMessage: (text: string) => Promise<void>,
    { connection, request }: Pick<SocketCaller, "connection" | "request">,
  ): void {
    // The client sends it again to another process.
    if (!connection.isOpen || this.#isGoingAway) return;
    // Parsing and validating thousands of levels would take seconds.
    if (isNestedDeeper(data, MAX_BODY_LEVELS)) {
      connection.close(CLOSE_CODES.badRequest, "The message is nested too deeply.");
      return;
    }
    const text = markInexactNumbers(String(data));
    connection
      .handle(() => onMessage(text))
      .catch((error: unknown) => {
        if (SERVER_MESSAGES.has(parseMessage(text).type)) {
          connection.close(CLOSE_CODES.badRequest, "Only the service sends messages of this type.");
          return;
        }
        logFailure(request, error);
        connection.closeWithError(internalError(error));
      });
  }

  /** Closes every WebSocket once its operations have ended. */
  closeAll(): void {
    this.#isGoingAway = true;
    for (const connection of this.#connections) connection.goAway();
  }

  async #connect(payload: ConnectionInitMessage["payload"], extra: SocketCaller): Promise<boolean> {
    const { connection, request } = extra;
    const { services } = this.options;
    try {
      const sent = isObject(payload) ? payload["authorization"] : undefined;
      // Routers propagate the header; browsers cannot set it.
      const authorization = sent ?? request.headers.authorization;
      if (typeof authorization !== "string") {
        const message =
          "`connection_init` must contain `authorization`: `Token <API_KEY>` or `Bearer <embed session or user group token>`.";
        throw new DomainError("unauthenticated", message);
      }
      const { id: requestId, ip: address } = request;
      const identity = await services.access.identify(authorization, { requestId, address });
      const release = services.webSockets.admit(identity, address);
      void connection.closed.then(release);
      extra.authorization = authorization;
      request.tenant = tenantOf(identity);
      return true;
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      request.errorCode = error.code;
      connection.closeWithError(error);
      return false;
    }
  }
}

/** Handles an error that a WebSocket emits. Invalid frames and broken connections, which have a code, close it without further help. */
export function handleSocketError(error: Error, socket: WebSocket, request: FastifyRequest): void {
  if ("code" in error) return;
  logFailure(request, error);
  socket.terminate();
}

function logFailure({ id: requestId, log }: FastifyRequest, err: unknown): void {
  log.error({ requestId, err }, "WebSocket failed");
}

/** Logs a WebSocket as HTTP requests are logged, with its close code; Fastify does not call `onResponse` for it. */
function logClose(
  { id: requestId, tenant, errorCode, log }: FastifyRequest,
  openedAt: number,
  closeCode: number,
): void {
  const { accountId, keyId } = tenant ?? {};
  const ms = Math.round(performance.now() - openedAt);
  log.info({ requestId, closeCode, code: errorCode, ms, accountId, keyId }, "WebSocket closed");
}
