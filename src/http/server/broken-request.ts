import type { Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { DomainError } from "../../domain/shared/errors.js";
import type { Metrics } from "../../telemetry/metrics.js";
import { sendRawReply } from "./raw-reply.js";

type ClientError = Error & { readonly code?: unknown };

const INVALID_HTTP = { status: 400, message: "The request is not valid HTTP." };
const REFUSALS: ReadonlyMap<unknown, typeof INVALID_HTTP> = new Map([
  ["HPE_HEADER_OVERFLOW", { status: 431, message: "The URL and headers of the request are too large." }],
  ["ERR_HTTP_REQUEST_TIMEOUT", { status: 408, message: "The request took too long to arrive." }],
]);

/**
 * Creates the handler for requests that are not valid HTTP or take too long to arrive, and so reach no route. Earlier requests on the
 * same connection are answered first. A request that was answered before its body failed gets no second answer.
 * @returns the handler for `clientError`, and a function that registers a server's replies with it
 */
export function brokenRequests({ errors }: Metrics) {
  /** The unfinished replies and the last reply of each connection. */
  const replies = new WeakMap<Socket, readonly ServerResponse[]>();
  const broken = new WeakSet<Socket>();
  return {
    answer(error: ClientError, socket: Socket): void {
      if (broken.has(socket)) {
        if (socket.readableEnded) socket.destroySoon();
        return;
      }
      broken.add(socket);
      const known = replies.get(socket) ?? [];
      const reply = known.find(({ req }) => !req.complete);
      const earlier = known.findLast(({ req, writableFinished }) => req.complete && !writableFinished);
      const close = () => {
        if (reply?.headersSent) {
          socket.destroySoon();
          return;
        }
        errors.inc({ api: "rest", code: "bad_request" });
        refuse(error, socket);
      };
      if (earlier) earlier.once("close", close);
      else close();
    },
    track(server: Pick<Server, "prependListener">): void {
      server.prependListener("request", ({ socket }, reply) => {
        const unfinished = (replies.get(socket) ?? []).filter(({ writableFinished }) => !writableFinished);
        replies.set(socket, [...unfinished, reply]);
      });
    },
  };
}

function refuse({ code }: ClientError, socket: Socket): void {
  if (!socket.writable || code === "ECONNRESET") {
    socket.destroy();
    return;
  }
  const { status, message } = REFUSALS.get(code) ?? INVALID_HTTP;
  sendRawReply(socket, new DomainError("bad_request", message), status);
}
