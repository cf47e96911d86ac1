import { request } from "node:http";
import { text as readText } from "node:stream/consumers";

/** A request, sent once for a check or repeatedly for a measurement. */
export interface HttpRequest {
  readonly method: "GET" | "POST" | "PUT";
  readonly path: string;
  readonly authorization: string;
  readonly body: unknown;
}

/** Serializes a request. */
export function wireText({ method, path, authorization, body }: HttpRequest): string {
  const text = JSON.stringify(body);
  const head = [
    ...[`${method} ${path} HTTP/1.1`, "Host: 127.0.0.1", `Authorization: ${authorization}`],
    ...["Content-Type: application/json", `Content-Length: ${Buffer.byteLength(text)}`],
  ];
  return `${head.join("\r\n")}\r\n\r\n${text}`;
}

export async function send(url: string, { method, path, authorization, body }: HttpRequest) {
  const text = JSON.stringify(body);
  return new Promise<{ readonly status: number; readonly text: string }>((resolve, reject) => {
    const headers = {
      authorization,
      "content-type": "application/json",
      "content-length": Buffer.byteLength(text),
    };
    const call = request(new URL(path, url), { method, headers, agent: false }, (reply) => {
      readText(reply).then((text) => resolve({ status: reply.statusCode ?? 0, text }), reject);
    });
    call.on("error", reject).end(text);
  });
}
