import { execFile } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from "node:http";
import { createServer as createSecureServer } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buffer, text } from "node:stream/consumers";
import { promisify } from "node:util";
import { request } from "undici";
import { onTestFinished } from "vitest";

export interface Certificate {
  readonly key: string;
  readonly cert: string;
}

/** Creates a self-signed certificate for 127.0.0.1. @returns undefined without openssl */
export async function makeCertificate(): Promise<Certificate | undefined> {
  const directory = await mkdtemp(join(tmpdir(), "user-groups-certificate-"));
  const [key, cert] = [join(directory, "key.pem"), join(directory, "cert.pem")];
  const kind = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "1"];
  const name = ["-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1"];
  try {
    await promisify(execFile)("openssl", ["req", "-x509", ...kind, ...name, "-keyout", key, "-out", cert]);
    return { key: await readFile(key, "utf8"), cert: await readFile(cert, "utf8") };
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  } finally {
    await rm(directory, { recursive: true });
  }
}

export interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** Handles a request: replies, hangs or closes the connection. */
export type Answer = (response: ServerResponse) => void;

/** Starts a server until the test ends that handles requests with the given handlers in turn, and repeats the last one. */
export async function startScriptedServer(...answers: readonly [Answer, ...Answer[]]) {
  const { listener, seen } = follow(answers);
  return { url: `http://127.0.0.1:${await listen(createServer(listener))}`, seen };
}

/** The same over TLS. */
export async function startSecureServer(
  { key, cert }: Certificate,
  ...answers: readonly [Answer, ...Answer[]]
) {
  const { listener, seen } = follow(answers);
  return { url: `https://127.0.0.1:${await listen(createSecureServer({ key, cert }, listener))}`, seen };
}

function follow(answers: readonly Answer[]) {
  const seen: SeenRequest[] = [];
  const listener = async (request: IncomingMessage, response: ServerResponse) => {
    const { method = "", url: path = "", headers } = request;
    const answer = answers[Math.min(seen.length, answers.length - 1)];
    const place = seen.push({ method, path, headers, body: "" }) - 1;
    seen[place] = { method, path, headers, body: await text(request) };
    answer?.(response);
  };
  return { listener, seen };
}

async function listen(server: Server): Promise<number> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return portOf(server.address());
}

/** Replies with JSON. */
export function reply(status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): Answer {
  return (response) => {
    response.writeHead(status, { "content-type": "application/json", ...headers });
    response.end(typeof body === "string" ? body : JSON.stringify(body));
  };
}

/** Closes the connection without a reply. */
export const cutOff: Answer = (response) => void response.destroy();

/** Never replies. */
export const hang: Answer = () => undefined;

/** Closes the connection in the middle of a reply. */
export const closeMidReply: Answer = (response) => {
  response.writeHead(200, { "content-type": "application/json", "content-length": "1000" });
  response.write('{"success":1,');
  setTimeout(() => response.destroy(), 20);
};

/** Replies with an error of the service's GraphQL API. */
export function refuse(status: number, code: string, headers: Readonly<Record<string, string>> = {}): Answer {
  const extensions = { code: code.toUpperCase(), requestId: "r-1" };
  return reply(status, { errors: [{ message: "No.", extensions }] }, headers);
}

function portOf(address: AddressInfo | string | null): number {
  if (typeof address !== "object" || address === null) throw new Error("The server has no port.");
  return address.port;
}

/** Starts a proxy until the test ends that drops the reply to the first attempt of each request. @returns its URL */
export async function startLossyProxy(service: string): Promise<string> {
  const seen = new Set<string>();
  const server = createServer(async (incoming, outgoing) => {
    const { method = "GET", url = "/", headers } = incoming;
    const { host: _host, connection: _connection, ...passed } = headers;
    const body = await buffer(incoming);
    const reply = await request(`${service}${url}`, { method, headers: passed, body });
    const content = await reply.body.text();
    const id = [method, url, body.toString()].join(" ");
    if (!seen.has(id)) {
      seen.add(id);
      outgoing.destroy();
      return;
    }
    outgoing.writeHead(reply.statusCode, { "content-type": "application/json" }).end(content);
  });
  return `http://127.0.0.1:${await listen(server)}`;
}
