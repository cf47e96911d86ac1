import { request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import { setTimeout as sleep } from "node:timers/promises";

export interface ContractRequest {
  readonly method: string;
  /** Appended to the base URL. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
}

export interface ContractReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** The body as JSON; undefined if it is not JSON. */
  readonly body: unknown;
}

const TIMEOUT_MS = 15_000;
const MAX_REPLY_LENGTH = 1024 * 1024;
/** Maximum `Retry-After` that is waited for. */
const MAX_WAIT_SECONDS = 61;

/**
 * Sends a request, including GET with a body. Retries once after a rate limit.
 * @throws Error if there is no reply, or not in time
 */
export async function sendRequest(baseUrl: string, request: ContractRequest): Promise<ContractReply> {
  const reply = await sendOnce(baseUrl, request);
  const seconds = Number(reply.headers["retry-after"] ?? Number.NaN);
  if (reply.status !== 429 || !(seconds <= MAX_WAIT_SECONDS)) return reply;
  await sleep(1000 * seconds);
  return sendOnce(baseUrl, request);
}

async function sendOnce(
  baseUrl: string,
  { method, path, headers, body }: ContractRequest,
): Promise<ContractReply> {
  const url = new URL(`${baseUrl.replace(/\/+$/, "")}${path}`);
  const start = url.protocol === "https:" ? requestHttps : requestHttp;
  return new Promise((resolve, reject) => {
    const length = body === null ? {} : { "content-length": String(Buffer.byteLength(body)) };
    const options = { method, headers: { ...headers, ...length }, signal: AbortSignal.timeout(TIMEOUT_MS) };
    const outgoing = start(url, options, (incoming) => {
      let text = "";
      incoming.setEncoding("utf8");
      incoming.on("data", (part: string) => {
        text += part;
        if (text.length > MAX_REPLY_LENGTH) outgoing.destroy(new Error("the reply is too long"));
      });
      incoming.on("error", reject);
      incoming.on("end", () => {
        const { statusCode = 0 } = incoming;
        resolve({ status: statusCode, headers: singleHeaders(incoming.headers), body: parseBody(text) });
      });
    });
    outgoing.on("error", reject);
    outgoing.end(body ?? undefined);
  });
}

function singleHeaders(
  headers: Readonly<Record<string, string | string[] | undefined>>,
): Record<string, string | undefined> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(", ") : value]),
  );
}

function parseBody(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
