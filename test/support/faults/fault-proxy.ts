import { once } from "node:events";
import { type AddressInfo, createServer, Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { DatabaseOptions } from "../../../src/persistence/shared/database-options.js";
import { partsOf } from "../postgres/database-parts.js";

/** How to cut a connection: reset it, or half-close one side. */
export const CUTS = ["reset", "end towards the service", "end towards the database"] as const;
type Cut = (typeof CUTS)[number];

/** A proxy between the service and its database that simulates network faults. */
export interface FaultProxy {
  /** The database, through the proxy. */
  readonly target: DatabaseOptions["target"];
  /** Forwards everything again, including held data. Swallowed data is lost: see `forget`. */
  pass(): void;
  /** Delays all data by this time. */
  delay(milliseconds: number): void;
  /** Holds all data until `pass`. */
  hold(): void;
  /** Drops all data and disconnects; new connections succeed but lead nowhere. */
  swallow(): void;
  /** Closes both sides of swallowed connections. */
  forget(): void;
  /** Cuts every connection, and each new one after a short time, until `pass`. */
  cut(how: Cut): void;
  close(): Promise<void>;
}

/** Resolves when held data can be forwarded. */
type Gate = () => Promise<unknown> | undefined;

/** Lifetimes of successive new connections, until they are cut too. */
const LIVES_MS = [0, 35, 5, 20, 60, 10];

/** A client connection and the proxy's connection to the database. */
class Link {
  isSwallowed = false;
  readonly #service: Socket;
  readonly #database: Socket;

  constructor(service: Socket, database: Socket, gate: () => Gate) {
    this.#service = service;
    this.#database = database;
    this.#forward(service, database, gate);
    this.#forward(database, service, gate);
  }

  cut(how: Cut): void {
    if (how === "end towards the service") this.#service.end();
    else if (how === "end towards the database") this.#database.end();
    else this.reset();
  }

  reset(): void {
    reset(this.#service);
    reset(this.#database);
  }

  #forward(from: Socket, to: Socket, gate: () => Gate): void {
    // Keep the order, whatever delayed earlier data.
    let sent: Promise<unknown> = Promise.resolve();
    const send = (action: () => void) => {
      if (this.isSwallowed) return;
      const opens = gate();
      sent = sent.then(opens).then(() => {
        if (!this.isSwallowed) action();
      });
    };
    from.on("data", (chunk: Buffer) => send(() => to.writable && to.write(chunk)));
    from.on("end", () => send(() => to.end()));
    from.on("error", () => send(() => reset(to)));
    from.on("close", () => send(() => to.destroySoon()));
  }
}

export async function startFaultProxy(database: DatabaseOptions["target"]): Promise<FaultProxy> {
  const { host, port, ...account } = partsOf(database);
  const links = new Set<Link>();
  let gate: () => Gate = passing;
  let open: () => void = () => undefined;
  let cutting: Cut | undefined;
  let swallowing = false;
  let accepted = 0;

  const server = createServer({ allowHalfOpen: true, noDelay: true }, (service) => {
    const database = new Socket({ allowHalfOpen: true });
    const link = new Link(service, database, () => gate());
    link.isSwallowed = swallowing;
    links.add(link);
    service.on("close", () => {
      if (!link.isSwallowed) links.delete(link);
    });
    if (swallowing) return;
    database.setNoDelay(true);
    if (host.startsWith("/")) database.connect(`${host}/.s.PGSQL.${port}`);
    else database.connect(port, host);
    accepted += 1;
    const how = cutting;
    if (how) setTimeout(() => link.cut(how), LIVES_MS[accepted % LIVES_MS.length]);
  });
  await once(server.listen(0, "127.0.0.1"), "listening");

  function treat(next: () => Gate): void {
    open();
    gate = next;
    cutting = undefined;
    swallowing = false;
  }

  return {
    target: { ...account, host: "127.0.0.1", port: portOf(server.address()) },
    pass: () => treat(passing),
    delay: (milliseconds) =>
      treat(() => {
        const due = Date.now() + milliseconds;
        return () => sleep(due - Date.now());
      }),
    hold() {
      treat(passing);
      const opened = new Promise<void>((resolve) => {
        open = resolve;
      });
      gate = () => () => opened;
    },
    swallow() {
      treat(passing);
      swallowing = true;
      for (const link of links) link.isSwallowed = true;
    },
    forget() {
      for (const link of links) {
        if (!link.isSwallowed) continue;
        links.delete(link);
        link.reset();
      }
    },
    cut(how) {
      treat(passing);
      cutting = how;
      for (const link of links) link.cut(how);
    },
    async close() {
      treat(passing);
      for (const link of links) link.reset();
      server.close();
      await once(server, "close");
    },
  };
}

/** Unix sockets have no reset. */
function reset(socket: Socket): void {
  if (socket.remoteFamily === undefined) socket.destroy();
  else socket.resetAndDestroy();
}

function passing(): Gate {
  return () => undefined;
}

function portOf(address: AddressInfo | string | null): number {
  if (address === null || typeof address === "string") throw new Error("The proxy has no port.");
  return address.port;
}
