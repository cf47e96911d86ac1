import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

/** What a page sends, as a browser behind a proxy does. */
export interface PageCredentials {
  /** The external ID of its group. */
  readonly group: string;
  readonly authorization: string;
}

const DOCUMENT = `subscription ($by: UserGroupBy) { userGroupChanged(by: $by) {
  kind userGroup { id name properties mapping { schemaId dataSource { providedId } } } } }`;
/** Maximum pages that connect at the same time when they are opened. */
const OPENING = 64;
/** Time for all pages to become current; a run that takes longer fails. */
const MAX_WAIT_MS = 90_000;
/** The waits of the service's viewer: up to the first after a stream that lasted, then between half of the second and all of it. */
const FIRST_WAIT_MS = 1_000;
const BACKOFF_MS = 2_000;

/** Refusals by status of the reply, and `connection` for those without one. */
export type Refusals = Map<string, number>;

/** Open pages of a service, which connect again as its client does. */
export class Pages {
  readonly refusals: Refusals = new Map();
  readonly #pages: Page[] = [];
  /** The pages that wait for an event, and its name; undefined for any event. */
  #waiting = new Set<Page>();
  #awaited: string | undefined;
  #onCurrent: () => void = () => undefined;

  constructor(private readonly url: string) {}

  /** Opens pages until each has received its group's state. */
  open(credentials: readonly PageCredentials[]): Promise<number> {
    const added = credentials.map((each) => this.#create(each));
    const left = [...added];
    return this.#until(added, undefined, async () => {
      const openOne = async () => {
        for (let page = left.pop(); page; page = left.pop()) await page.open();
      };
      await Promise.all(Array.from({ length: OPENING }, openOne));
    });
  }

  /** @returns the milliseconds from the start of a change until all pages of its groups have received it */
  change(groups: ReadonlySet<string>, name: string, change: () => Promise<unknown>): Promise<number> {
    return this.#until(
      this.#pages.filter(({ group }) => groups.has(group)),
      name,
      change,
    );
  }

  /** @returns the milliseconds from the end of an interruption until all pages are current again */
  async reconnect(interrupt: () => Promise<number>): Promise<number> {
    this.refusals.clear();
    let endedAt = 0;
    await this.#until(this.#pages, undefined, async () => {
      endedAt = await interrupt();
    });
    return performance.now() - endedAt;
  }

  /** Cuts all connections, as the restart of a proxy does. */
  cut(): void {
    for (const page of this.#pages) page.cut();
  }

  close(): void {
    for (const page of this.#pages) page.close();
  }

  async #until(pages: readonly Page[], name: string | undefined, start: () => Promise<unknown>) {
    this.#waiting = new Set(pages);
    this.#awaited = name;
    const current = new Promise<void>((resolve) => {
      this.#onCurrent = resolve;
    });
    const startedAt = performance.now();
    await start();
    const abort = new AbortController();
    const { signal } = abort;
    const timeout = sleep(MAX_WAIT_MS, "timeout", { signal });
    timeout.catch(() => undefined);
    const outcome = await Promise.race([current, timeout]);
    abort.abort();
    if (outcome === "timeout")
      throw new Error(
        `${this.#waiting.size} of ${pages.length} pages are not current: ${JSON.stringify([...this.refusals])}`,
      );
    return performance.now() - startedAt;
  }

  #create(credentials: PageCredentials): Page {
    const page = new Page(this.url, credentials, this.#pages.length, {
      onEvent: (text) => {
        if (this.#awaited !== undefined && !text.includes(`"name":"${this.#awaited}"`)) return;
        this.#waiting.delete(page);
        if (this.#waiting.size === 0) this.#onCurrent();
      },
      onRefusal: (reason) => this.refusals.set(reason, (this.refusals.get(reason) ?? 0) + 1),
    });
    this.#pages.push(page);
    return page;
  }
}

interface PageEvents {
  readonly onEvent: (text: string) => void;
  readonly onRefusal: (reason: string) => void;
}

/** A page, on a bare socket: the load generator must take less time than the service. */
class Page {
  readonly group: string;
  readonly #request: string;
  readonly #port: number;
  readonly #host: string;
  #socket: Socket | undefined;
  #failures = 0;
  #isClosed = false;

  constructor(
    url: string,
    { group, authorization }: PageCredentials,
    index: number,
    private readonly events: PageEvents,
  ) {
    this.group = group;
    const { hostname, port } = new URL(url);
    this.#host = hostname;
    this.#port = Number(port);
    const body = JSON.stringify({ query: DOCUMENT, variables: { by: { providedId: group } } });
    const lines = [
      "POST /graphql HTTP/1.1",
      "Host: groups.example.com",
      `X-Forwarded-For: 10.${index >> 16}.${(index >> 8) & 255}.${index & 255}`,
      "X-Forwarded-Proto: https",
      "User-Agent: Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/143.0.0.0 Safari/537.36",
      "Accept: text/event-stream",
      "Accept-Language: en-GB,en;q=0.9",
      "Accept-Encoding: gzip, deflate, br, zstd",
      "Origin: https://dashboards.example.com",
      "Referer: https://dashboards.example.com/",
      "Sec-Fetch-Dest: empty",
      "Sec-Fetch-Mode: cors",
      "Sec-Fetch-Site: same-site",
      `Authorization: ${authorization}`,
      "Content-Type: application/json",
      `Content-Length: ${Buffer.byteLength(body)}`,
    ];
    this.#request = `${lines.join("\r\n")}\r\n\r\n${body}`;
  }

  /** Connects, and resolves with the first data. */
  async open(): Promise<void> {
    const socket = connect(this.#port, this.#host);
    this.#socket = socket;
    let status = "connection";
    let retryAfterS = 0;
    socket.setNoDelay().write(this.#request);
    socket.on("error", () => undefined);
    socket.on("data", (data) => {
      const text = data.toString("latin1");
      if (status === "connection") {
        status = text.slice(9, 12);
        retryAfterS = Number(/retry-after: (\d+)/i.exec(text)?.[1] ?? 0);
      }
      if (text.includes("event: next")) {
        this.#failures = 0;
        this.events.onEvent(text);
      }
      if (status !== "200") socket.destroy();
    });
    socket.on("close", () => {
      if (this.#isClosed) return;
      if (status !== "200") this.events.onRefusal(status);
      const waitMs =
        this.#failures === 0 ? FIRST_WAIT_MS * Math.random() : (BACKOFF_MS * (1 + Math.random())) / 2;
      this.#failures += 1;
      setTimeout(() => void this.open(), Math.max(retryAfterS * 1000, waitMs)).unref();
    });
    await Promise.race([once(socket, "data"), once(socket, "close")]).catch(() => undefined);
  }

  cut(): void {
    this.#socket?.destroy();
  }

  close(): void {
    this.#isClosed = true;
    this.cut();
  }
}
