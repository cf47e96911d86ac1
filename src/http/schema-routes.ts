import type { FastifyInstance } from "fastify";
import { siteConfigJsonSchema } from "../domain/site-config/site-config-json-schema.js";

const HOUR_S = 3600;

/** Registers `/schemas/site-config.json`, by which editors complete and check site configurations; it needs no key. */
export function registerSchemaRoutes(app: FastifyInstance): void {
  let text: string | undefined;
  app.get("/schemas/site-config.json", async (_request, reply) => {
    text ??= JSON.stringify(siteConfigJsonSchema(), null, 2);
    return reply
      .header("cache-control", `public, max-age=${HOUR_S}`)
      .header("access-control-allow-origin", "*")
      .type("application/schema+json; charset=utf-8")
      .send(text);
  });
}
