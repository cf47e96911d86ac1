import { request } from "undici";

/** A browser without pages: it keeps cookies by origin and follows redirects. */
export class CookieBrowser {
  readonly #cookies = new Map<string, Map<string, string>>();
  /** The Set-Cookie headers of the last redirects. */
  readonly received: string[] = [];

  /** @param headers of all requests */
  constructor(private readonly headers: Readonly<Record<string, string>> = {}) {}

  /** Opens a URL. @returns the URL of the first reply that does not redirect, or of the first redirect to `until` */
  async open(url: string, until = "\n"): Promise<string> {
    this.received.length = 0;
    for (let target = new URL(url); ; ) {
      const reply = await request(target, {
        headers: { ...this.headers, cookie: this.cookie(target.origin) },
      });
      await reply.body.dump();
      for (const header of [reply.headers["set-cookie"] ?? []].flat()) {
        this.received.push(header);
        this.store(target.origin, header);
      }
      const { location } = reply.headers;
      if (typeof location !== "string") return target.href;
      target = new URL(location, target);
      if (target.href.startsWith(until)) return target.href;
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
