import type { FastifyInstance } from "fastify";
import { announce, readSettings } from "./peer-process.js";

/** What is used of our HTTP server, as `npm run build` has compiled it. */
interface HttpServerModule {
  createBareServer(log: { readonly level: string; readonly stream: NodeJS.WritableStream }): FastifyInstance;
}

/** Our own HTTP server, with all that it does for each request, and behind it nothing but a constant. */
const settings = readSettings();
const compiled = new URL("../../../../../dist/src/http/http-server.js", import.meta.url);
const { createBareServer }: HttpServerModule = await import(compiled.href);
const app = createBareServer({ level: "info", stream: process.stderr });
app.get("/api/user", { bodyLimit: 256 * 1024 }, async () => settings.constant);
await app.listen({ host: "127.0.0.1", port: 0 });
announce(app.server);
