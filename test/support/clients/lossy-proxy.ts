import { once } from "node:events";
import { createServer } from "node:http";
import { buffer } from "node:stream/consumers";
import { request } from "undici";
import { onTestFinished } from "vitest";

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
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  return `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`;
}
