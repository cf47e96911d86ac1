import type { Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";

export interface Connection {
  readonly socket: Socket;
  /** Replies in progress, in order. More than one only if the client uses pipelining. */
  readonly replies: ServerResponse[];
  /** Requests that wait for the replies to earlier ones of the connection. */
  readonly parked: Map<ServerResponse, ParkedRequest>;
  /** When the last request ended, and the number of bytes read by then. */
  idleSince: number;
  idleBytes: number;
  /** When the server closed it; later requests are not answered. */
  endedAt: number | undefined;
  /** Send progress as of the last sweep. */
  readonly sending: SendProgress;
}

interface ParkedRequest {
  /** Starts the request. */
  start(): void;
  /** Ends it if its connection closes before. */
  end(): void;
}

/** The send progress of a connection. */
export interface SendProgress {
  /** Unsent bytes held by the process. */
  unsent: number;
  /** Bytes of the current write that the kernel has not accepted. */
  queued: number;
  /** Number of consecutive sweeps without progress. */
  stalledSweeps: number;
}

export class Connections implements Iterable<Connection> {
  readonly #open = new Map<Socket, Connection>();

  constructor(server: Pick<Server, "on">) {
    server.on("connection", (socket: Socket) => {
      const connection: Connection = {
        socket,
        replies: [],
        parked: new Map(),
        idleSince: performance.now(),
        idleBytes: 0,
        endedAt: undefined,
        sending: { unsent: 0, queued: 0, stalledSweeps: 0 },
      };
      this.#open.set(socket, connection);
      socket.once("close", () => {
        this.#open.delete(socket);
        for (const { end } of connection.parked.values()) end();
      });
    });
  }

  get size(): number {
    return this.#open.size;
  }

  of(socket: Socket): Connection | undefined {
    return this.#open.get(socket);
  }

  /** Makes a request wait for the earlier ones of its connection, and reads no more from it until then. */
  park({ socket, parked }: Connection, reply: ServerResponse, request: ParkedRequest): void {
    parked.set(reply, request);
    socket.pause();
  }

  /** Removes a reply that has ended, and starts the next request of the connection. */
  endReply({ socket, replies, parked }: Connection, reply: ServerResponse): void {
    replies.splice(replies.indexOf(reply), 1);
    const [next] = replies;
    const request = next && parked.get(next);
    if (!next || !request) return;
    parked.delete(next);
    if (parked.size === 0) socket.resume();
    request.start();
  }

  /** Closes a connection without replies to the requests that it has sent. */
  discard(connection: Connection): void {
    connection.endedAt = performance.now();
    connection.socket.resetAndDestroy();
  }

  [Symbol.iterator](): Iterator<Connection> {
    return this.#open.values();
  }
}
