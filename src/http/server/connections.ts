import type { Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";

export interface Connection {
  readonly socket: Socket;
  /** Replies in progress, in order. More than one only if the client uses pipelining. */
  readonly replies: ServerResponse[];
  /** When the last request ended, and the number of bytes read by then. */
  idleSince: number;
  idleBytes: number;
  /** When the server closed it; later requests are not answered. */
  endedAt: number | undefined;
  /** Send progress as of the last sweep. */
  readonly sending: SendProgress;
}

/** The send progress of a connection. */
export interface SendProgress {
  /** Unsent bytes held by the process. */
  unsent: number;
  /** Unsent bytes that wait for the peer only, not for an earlier reply. */
  waiting: number;
  /** Bytes of the current write that the kernel has not accepted. */
  queued: number;
  /** Number of consecutive sweeps without progress. */
  stalledSweeps: number;
}

export class Connections implements Iterable<Connection> {
  readonly #open = new Map<Socket, Connection>();

  constructor(server: Pick<Server, "on">) {
    server.on("connection", (socket: Socket) => {
      this.#open.set(socket, {
        socket,
        replies: [],
        idleSince: performance.now(),
        idleBytes: 0,
        endedAt: undefined,
        sending: { unsent: 0, waiting: 0, queued: 0, stalledSweeps: 0 },
      });
      socket.once("close", () => this.#open.delete(socket));
    });
  }

  get size(): number {
    return this.#open.size;
  }

  of(socket: Socket): Connection | undefined {
    return this.#open.get(socket);
  }

  [Symbol.iterator](): Iterator<Connection> {
    return this.#open.values();
  }
}
