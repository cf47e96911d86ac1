import type { Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";

/** An open connection. */
export interface Connection {
  readonly socket: Socket;
  /** Those under way, in their order; there is more than one only where a client sends ahead. */
  readonly replies: ServerResponse[];
  /** When the last request was over, and how many bytes had come until then. */
  quietSince: number;
  quietBytes: number;
  /** When we ended it, so that nothing can be answered any more. */
  endedAt: number | undefined;
  /** What of the replies the peer has not taken, as it was when it was last looked at. */
  readonly sending: SendProgress;
}

/** How far a connection is with what is to be sent over it. */
export interface SendProgress {
  /** Bytes that the process still holds. */
  unsent: number;
  /** Those of them that wait for the peer alone, and not for an earlier reply. */
  waiting: number;
  /** Bytes of the write under way that the kernel has not taken. */
  queued: number;
  /** How many sweeps in a row have found that the peer took nothing. */
  stalledSweeps: number;
}

/** The open connections of a server. */
export class Connections implements Iterable<Connection> {
  readonly #open = new Map<Socket, Connection>();

  constructor(server: Pick<Server, "on">) {
    server.on("connection", (socket: Socket) => {
      this.#open.set(socket, {
        socket,
        replies: [],
        quietSince: performance.now(),
        quietBytes: 0,
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
