import { createHash } from "node:crypto";
import type { FastifyInstance } from "fastify";
import { siteConfigJsonSchema } from "../../domain/site-configs/json-schema.js";
import { printSubgraphSdl } from "../../graphql/server/federation/subgraph-schema.js";
import { printSdl } from "../../graphql/server/schema.js";
import { printOpenApi } from "../openapi/document.js";
import { readKnownHashes, toEntityTag } from "../site-configs/entity-tag.js";

const HOUR_S = 3600;
const SECURITY_CONTACT_VALID_MS = 90 * 24 * HOUR_S * 1000;

interface Description {
  /** A shared buffer: a string would be encoded again for each reply. */
  readonly bytes: Buffer;
  readonly hash: Buffer;
}

/**
 * Registers the machine-readable descriptions, which need no API key: `/openapi.json`, the GraphQL schema, its form for composition as a
 * subgraph, and `/schemas/site-config.json`, which editors use to complete and validate site configurations.
 * @param version service version
 */
export function registerSchemaRoutes(app: FastifyInstance, version: string): void {
  serve(app, "/openapi.json", "application/json", () => printOpenApi(version));
  serve(app, "/schema.graphql", "application/graphql", printSdl);
  serve(app, "/schema-subgraph.graphql", "application/graphql", printSubgraphSdl);
  serve(app, "/schemas/site-config.json", "application/schema+json", () =>
    JSON.stringify(siteConfigJsonSchema(), null, 2),
  );
}

/** Registers `/.well-known/security.txt` (RFC 9116). */
export function registerSecurityContact(app: FastifyInstance, contact: string): void {
  app.get("/.well-known/security.txt", (_request, reply) => {
    const expires = new Date(Date.now() + SECURITY_CONTACT_VALID_MS).toISOString();
    return reply.type("text/plain; charset=utf-8").send(`Contact: ${contact}\nExpires: ${expires}\n`);
  });
}

/** @param print creates the text on the first request */
function serve(app: FastifyInstance, path: string, type: string, print: () => string): void {
  let description: Description | undefined;
  app.get(path, async (request, reply) => {
    description ??= describe(print());
    const { bytes, hash } = description;
    const known = readKnownHashes(request.headers["if-none-match"]);
    reply
      .header("cache-control", `public, max-age=${HOUR_S}`)
      .header("access-control-allow-origin", "*")
      .header("etag", toEntityTag(hash));
    if (known === null || known.some((one) => one.equals(hash))) return reply.code(304).send();
    return reply.type(`${type}; charset=utf-8`).send(bytes);
  });
}

function describe(text: string): Description {
  const bytes = Buffer.from(text);
  return { bytes, hash: createHash("sha256").update(bytes).digest() };
}
