import { request } from "node:http";

/** A request as it is sent for a check, or many times for a measurement. */
export interface HttpRequest {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly authorization: string;
  readonly body: unknown;
}

export interface HttpReply {
  readonly status: number;
  readonly text: string;
}

/** The request as it travels. */
export function wireText({ method, path, authorization, body }: HttpRequest): string {
  const text = JSON.stringify(body);
  const head = [
    `${method} ${path} HTTP/1.1`,
    "Host: 127.0.0.1",
    `Authorization: ${authorization}`,
    "Content-Type: application/json",
    `Content-Length: ${Buffer.byteLength(text)}`,
  ];
  return `${head.join("\r\n")}\r\n\r\n${text}`;
}

/** Sends a request once. */
export async function send(
  url: string,
  { method, path, authorization, body }: HttpRequest,
): Promise<HttpReply> {
  const text = JSON.stringify(body);
  return new Promise((resolve, reject) => {
    const headers = {
      authorization,
      "content-type": "application/json",
      "content-length": Buffer.byteLength(text),
    };
    const call = request(new URL(path, url), { method, headers, agent: false }, (reply) => {
      let received = "";
      reply.setEncoding("utf8").on("data", (part: string) => {
        received += part;
      });
      reply.on("error", reject).on("end", () => resolve({ status: reply.statusCode ?? 0, text: received }));
    });
    call.on("error", reject).end(text);
  });
}
