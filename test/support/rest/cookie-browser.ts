import { request } from "undici";

/** A browser without pages: it keeps cookies by origin and follows redirects. */
export class CookieBrowser {
  readonly #cookies = new Map<string, Map<string, string>>();
  /** The Set-Cookie headers of the last replies. */
  readonly received: string[] = [];

  /** @param headers of all requests */
  constructor(private readonly headers: Readonly<Record<string, string>> = {}) {}

  /** Opens a URL. @returns the URL of the first reply that does not redirect, or of the first redirect to `until` */
  async open(url: string, until = "\n"): Promise<string> {
    this.received.length = 0;
    return this.#follow(url, until);
  }

  /** Signs in to a service as its console does. @param query of the request @returns as `open` does */
  async signIn(service: string, query = "", until = "\n"): Promise<string> {
    this.received.length = 0;
    const headers = { ...this.headers, cookie: this.cookie(service), "x-console": "session" };
    const reply = await request(`${service}/console/sign-in${query}`, { method: "POST", headers });
    const { sign_in_url: url } = Object(await reply.body.json());
    if (typeof url !== "string") throw new Error(`The service answered with ${reply.statusCode}.`);
    this.#storeAll(service, reply.headers["set-cookie"]);
    return url.startsWith(until) ? url : this.#follow(url, until);
  }

  async #follow(url: string, until: string): Promise<string> {
    for (let target = new URL(url); ; ) {
      const reply = await request(target, {
        headers: { ...this.headers, cookie: this.cookie(target.origin) },
      });
      await reply.body.dump();
      this.#storeAll(target.origin, reply.headers["set-cookie"]);
      const { location } = reply.headers;
      if (typeof location !== "string") return target.href;
      target = new URL(location, target);
      if (target.href.startsWith(until)) return target.href;
    }
  }

  #storeAll(origin: string, headers: string | string[] = []): void {
    for (const header of [headers].flat()) {
      this.received.push(header);
      this.store(origin, header);
    }
  }

  /** The Cookie header for an origin. */
  cookie(origin: string): string {
    return [...(this.#cookies.get(origin) ?? [])].map((pair) => pair.join("=")).join("; ");
  }

  get(origin: string, name: string): string | undefined {
    return this.#cookies.get(origin)?.get(name);
  }

  set(origin: string, name: string, value: string): void {
    this.store(origin, `${name}=${value}`);
  }

  /** Stores the cookie of a Set-Cookie header; one without a value is deleted. */
  store(origin: string, header: string): void {
    const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(header) ?? [];
    const cookies = this.#cookies.get(origin) ?? new Map<string, string>();
    this.#cookies.set(origin, cookies);
    if (value === "") cookies.delete(name);
    else cookies.set(name, value);
  }
}
