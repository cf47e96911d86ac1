import { request } from "undici";
import { recordReply } from "../secrets/run-record.js";
import { expectKnownFields } from "./documented-fields.js";
import type { OpenApiContract, RawReply } from "./openapi-contract.js";
import { exchange } from "./raw-connection.js";

interface Call {
  /** The API key; none if undefined. */
  readonly key?: string | undefined;
  /** Sent as JSON; a string is sent unchanged. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** Replaces the document's path. */
  readonly path?: string;
}

/** Calls operations such as `get /api/user` and checks each reply against the document. */
export class OpenApiCaller {
  constructor(
    private readonly url: string,
    private readonly contract: OpenApiContract,
    /** Values of parameters in paths. */
    private readonly parameters: Readonly<Record<string, string>> = {},
  ) {}

  async call(operation: string, { key, body, headers, path }: Call = {}) {
    const [method = "", template = ""] = operation.split(" ");
    const sentTo = path ?? this.#pathOf(template);
    const sent = typeof body === "string" || Buffer.isBuffer(body) ? body : JSON.stringify(body);
    const reply = await request(`${this.url}${sentTo}`, {
      method: method.toUpperCase(),
      headers: {
        ...(key === undefined ? {} : { authorization: `Token ${key}` }),
        ...(sent === undefined ? {} : { "content-type": "application/json" }),
        ...headers,
      },
      ...(sent === undefined ? {} : { body: sent }),
    });
    const raw = { status: reply.statusCode, headers: reply.headers, text: await reply.body.text() };
    recordReply(raw.text);
    this.contract.check(operation, raw);
    const parsed = raw.text === "" ? undefined : JSON.parse(raw.text);
    expectKnownFields(method, sentTo, { body, headers }, parsed);
    return { ...raw, body: parsed };
  }

  /** Sends two Host headers, which HTTP clients do not do. */
  async callBadly(operation: string, path?: string): Promise<void> {
    const [method = "", template = ""] = operation.split(" ");
    const head = `${method.toUpperCase()} ${path ?? this.#pathOf(template)} HTTP/1.1\r\nHost: a\r\nHost: b\r\nConnection: close\r\n\r\n`;
    const { answer } = await exchange(this.url, [head]);
    this.contract.check(operation, parseReply(answer));
  }

  #pathOf(template: string): string {
    return template.replaceAll(/\{(\w+)\}/g, (written, name: string) => this.parameters[name] ?? written);
  }
}

function parseReply(answer: string): RawReply {
  const [head = "", text = ""] = answer.split("\r\n\r\n");
  const [first = "", ...lines] = head.split("\r\n");
  const headers = lines
    .map((line) => line.split(/: (.*)/))
    .map(([name = "", value]) => [name.toLowerCase(), value]);
  return { status: Number(first.split(" ")[1]), headers: Object.fromEntries(headers), text };
}
