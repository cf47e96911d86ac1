import type { Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { DomainError } from "../../domain/shared/errors.js";
import type { Metrics } from "../../telemetry/metrics.js";
import { sendRawReply } from "./raw-reply.js";

type ClientError = Error & { readonly code?: unknown };

const OTHERWISE = { status: 400, message: "The request is not valid HTTP." };
const REFUSALS: ReadonlyMap<unknown, typeof OTHERWISE> = new Map([
  ["HPE_HEADER_OVERFLOW", { status: 431, message: "The address and headers of the request are too large." }],
  ["ERR_HTTP_REQUEST_TIMEOUT", { status: 408, message: "The request took too long to arrive." }],
]);

/**
 * Makes what answers a request that is not HTTP at all, or takes too long: it reaches no route. Requests that came before it on
 * the same connection are answered first, and one that was answered before its body broke gets no second answer.
 * @returns the handler of a server's client errors, and what lets it know the server's replies
 */
export function brokenRequests({ errors }: Metrics) {
  /** Of each connection the replies that are not finished, and the last one. */
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
      const own = known.find(({ req }) => !req.complete);
      const earlier = known.findLast(({ req, writableFinished }) => req.complete && !writableFinished);
      const close = () => {
        if (own?.headersSent) {
          socket.destroySoon();
          return;
        }
        errors.of("rest", "bad_request").value += 1;
        refuse(error, socket);
      };
      if (earlier) earlier.once("close", close);
      else close();
    },
    watch(server: Pick<Server, "prependListener">): void {
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
  const { status, message } = REFUSALS.get(code) ?? OTHERWISE;
  sendRawReply(socket, new DomainError("bad_request", message), status);
}
