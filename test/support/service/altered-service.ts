import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { request } from "undici";

/** A reply before it is forwarded. */
export interface AlterableReply {
  readonly method: string;
  readonly sent: string;
  status: number;
  headers: Record<string, string>;
  text: string;
}

/** A proxy to another service that alters some replies. */
export interface AlteredService {
  readonly url: string;
  close(): Promise<void>;
}

/** @param alter may wait, and modify the reply */
export async function startAlteredService(
  url: string,
  alter: (reply: AlterableReply) => void | Promise<void>,
): Promise<AlteredService> {
  const server = createServer(async (incoming, outgoing) => {
    const parts: Buffer[] = [];
    for await (const part of incoming) parts.push(part);
    const body = Buffer.concat(parts);
    const { authorization, "content-type": type } = incoming.headers;
    const answer = await request(`${url}${incoming.url}`, {
      method: String(incoming.method),
      headers: {
        ...(authorization === undefined ? {} : { authorization }),
        ...(type === undefined ? {} : { "content-type": type }),
      },
      ...(body.length === 0 ? {} : { body }),
    });
    const headers = Object.fromEntries(
      ["content-type", "cache-control", "allow"].flatMap((name) => {
        const value = answer.headers[name];
        return typeof value === "string" ? [[name, value]] : [];
      }),
    );
    const reply: AlterableReply = {
      method: String(incoming.method),
      sent: body.toString(),
      status: answer.statusCode,
      headers,
      text: await answer.body.text(),
    };
    await alter(reply);
    outgoing.writeHead(reply.status, reply.headers).end(reply.text);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address: AddressInfo | string | null = server.address();
  if (address === null || typeof address === "string") throw new Error("The server has no port.");
  return {
    url: `http://127.0.0.1:${address.port}`,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
