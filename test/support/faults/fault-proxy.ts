import { once } from "node:events";
import { type AddressInfo, createServer, Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { DatabaseOptions } from "../../../src/persistence/shared/database-options.js";
import { partsOf } from "../postgres/database-parts.js";

/** How a connection is cut: at once, or one side is told that no more comes from the other. */
export const CUTS = ["reset", "end towards the service", "end towards the database"] as const;
type Cut = (typeof CUTS)[number];

/** Stands between a service and its database, and treats what goes through as a bad network would. */
export interface FaultProxy {
  /** The same database, through the proxy. */
  readonly target: DatabaseOptions["target"];
  /** Everything passes again, and what was held arrives. What was swallowed never does: see `forget`. */
  pass(): void;
  /** All that is sent arrives so much later. */
  delay(milliseconds: number): void;
  /** Nothing arrives until `pass`. */
  hold(): void;
  /** Nothing arrives, nor that a side has gone; connections can be made, but lead nowhere. */
  swallow(): void;
  /** Tells both sides of connections that were swallowed that they are gone. */
  forget(): void;
  /** Cuts every connection, and each new one a little later, until `pass`. */
  cut(how: Cut): void;
  close(): Promise<void>;
}

/** Comes due when what was sent may go on. */
type Gate = () => Promise<unknown> | undefined;

/** New connections live so much longer, one after the other, before they are cut too. */
const LIVES_MS = [0, 35, 5, 20, 60, 10];

/** One connection of the service, and the proxy's own to the database in its stead. */
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
    // One after the other, whatever has held up the one before.
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

/** A Unix socket knows no reset. */
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
