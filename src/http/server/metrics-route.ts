import { createHash, timingSafeEqual } from "node:crypto";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { DomainError } from "../../domain/shared/errors.js";
import { isDirectLocalRequest } from "../pages/loopback.js";

const PATH = "/metrics";

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

/** Registers `/metrics` (decision 44). */
export function registerMetricsRoute(
  app: FastifyInstance,
  reader: MetricsReader,
  { token, allowsLocalRequests }: MetricsAccess,
): void {
  const requireReader = token === undefined ? localReader(allowsLocalRequests) : requireBearer(token);
  app.get(PATH, {
    // Before the body is read.
    onRequest: async (request) => requireReader(request),
    async handler(_request, reply) {
      // Before the type is set, which an error reply at the deadline does not have.
      const text = await reader.metrics();
      return reply.type(reader.contentType).send(text);
    },
  });
}

type Requirement = (request: FastifyRequest) => void;

function localReader(allowsLocalRequests: boolean): Requirement {
  return (request) => {
    if (allowsLocalRequests && isDirectLocalRequest(request)) return;
    throw new DomainError(
      "forbidden",
      "Without METRICS_TOKEN, metrics can be read only from the service's own machine, and only if HOST is a loopback address and neither DATABASE_URL nor TRUSTED_PROXIES is set. Set METRICS_TOKEN.",
    );
  };
}

function requireBearer(token: string): Requirement {
  const expected = hash(token);
  return ({ headers }) => {
    const [, received = ""] = /^bearer +(\S+) *$/i.exec(headers.authorization ?? "") ?? [];
    // Hashes have equal length, which timingSafeEqual requires.
    if (timingSafeEqual(hash(received), expected)) return;
    throw new DomainError(
      "unauthenticated",
      "The Authorization header must be: Bearer <METRICS_TOKEN>, with the value of the setting METRICS_TOKEN.",
    );
  };
}

function hash(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
