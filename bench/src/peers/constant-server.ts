import type * as HttpServer from "../../../src/http/server/http-server.js";
import { announce, readSettings } from "./peer-process.js";

// Our HTTP server with all of its work per request, and a constant reply.
const { constant } = readSettings();
const path = new URL("../../../../../dist/src/http/server/http-server.js", import.meta.url).href;
const { createBareServer }: typeof HttpServer = await import(path);
const { app } = createBareServer({ log: { level: "info", stream: process.stderr, successesPerSecond: 100 } });
app.get("/api/user", { bodyLimit: 1024 * 1024 }, async () => constant);
await app.listen({ host: "127.0.0.1", port: 0 });
announce(app.server);
