import { createHash, timingSafeEqual } from "node:crypto";
import { siteConfigJsonSchema } from "@user-groups/site-config";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { credentialsError } from "../../domain/authentication/authorization.js";
import { DomainError, reasonOf } from "../../domain/shared/errors.js";
import { printSubgraphSdl } from "../../graphql/server/federation/subgraph-schema.js";
import { printSdl } from "../../graphql/server/schema.js";
import { readKnownHashes, toEntityTag } from "../../rest/entity-tag.js";
import type { Services } from "../../services/services.js";
import { printOpenApi } from "../openapi/document.js";
import { isDirectLocalRequest } from "../pages/loopback.js";

const HOUR_S = 3600;
const SECURITY_CONTACT_VALID_MS = 90 * 24 * HOUR_S * 1000;

/** The source of metrics, such as a registry of prom-client. */
export interface MetricsReader {
  readonly contentType: string;
  /** Returns all metrics in the format of `contentType`. */
  metrics(): Promise<string>;
}

/** Access control of the metrics endpoint. */
export interface MetricsAccess {
  /** Bearer token that clients must send; if undefined, `allowsLocalRequests` applies. */
  readonly token: string | undefined;
  /** Without a token: whether requests from this machine are allowed. Others are always rejected. */
  readonly allowsLocalRequests: boolean;
}

/** Registers `/livez` (the process responds) and `/readyz` (the database responds and the service is not shutting down; otherwise 503). */
export function registerHealthRoutes(
  app: FastifyInstance,
  services: Services,
  isShuttingDown: () => boolean,
): void {
  let wasReady = true;
  app.get("/livez", async () => ({ status: "ok" }));
  app.get("/readyz", async () => {
    try {
      if (isShuttingDown())
        throw new DomainError("unavailable", "The service is shutting down.", { retryAfter: 1 });
      await services.checkReadiness();
    } catch (error) {
      if (wasReady)
        app.log.warn({ reason: error instanceof DomainError ? reasonOf(error) : String(error) }, "not ready");
      wasReady = false;
      throw error;
    }
    if (!wasReady) app.log.info("ready again");
    wasReady = true;
    return { status: "ok" };
  });
}

/** Registers `/metrics` (decision 44). */
export function registerMetricsRoute(
  app: FastifyInstance,
  reader: MetricsReader,
  { token, allowsLocalRequests }: MetricsAccess,
): void {
  const requireReader = token === undefined ? localReader(allowsLocalRequests) : requireBearer(token);
  app.get("/metrics", {
    // Before the body is read.
    onRequest: async (request) => requireReader(request),
    async handler(_request, reply) {
      // Before the type is set, which an error reply at the deadline does not have.
      const text = await reader.metrics();
      return reply.type(reader.contentType).send(text);
    },
  });
}

function localReader(allowsLocalRequests: boolean) {
  return (request: FastifyRequest): void => {
    if (allowsLocalRequests && isDirectLocalRequest(request)) return;
    throw new DomainError(
      "forbidden",
      "Without METRICS_TOKEN, metrics can be read only from the service's own machine, and only if HOST is a loopback address and neither DATABASE_URL nor TRUSTED_PROXIES is set. Set METRICS_TOKEN.",
    );
  };
}

function requireBearer(token: string) {
  const expected = sha256(token);
  return ({ headers }: FastifyRequest): void => {
    const [, received = ""] = /^bearer +(\S+) *$/i.exec(headers.authorization ?? "") ?? [];
    // Hashes have equal length, which timingSafeEqual requires.
    if (timingSafeEqual(sha256(received), expected)) return;
    throw credentialsError(headers.authorization, "metricsToken");
  };
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

/** @param print creates the text on the first request */
function serve(app: FastifyInstance, path: string, type: string, print: () => string): void {
  // A shared buffer: a string would be encoded again for each reply.
  let description: { readonly bytes: Buffer; readonly hash: Buffer } | undefined;
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

function describe(text: string) {
  const bytes = Buffer.from(text);
  return { bytes, hash: sha256(bytes) };
}

function sha256(content: string | Buffer): Buffer {
  return createHash("sha256").update(content).digest();
}

/** Registers `/.well-known/security.txt` (RFC 9116). */
export function registerSecurityContact(app: FastifyInstance, contact: string): void {
  app.get("/.well-known/security.txt", (_request, reply) => {
    const expires = new Date(Date.now() + SECURITY_CONTACT_VALID_MS).toISOString();
    return reply.type("text/plain; charset=utf-8").send(`Contact: ${contact}\nExpires: ${expires}\n`);
  });
}
