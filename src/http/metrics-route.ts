import { createHash, timingSafeEqual } from "node:crypto";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { DomainError } from "../domain/errors.js";
import { refuseOtherMethods } from "../rest/method-refusal.js";
import { isOpenedHere } from "./loopback.js";

const PATH = "/metrics";
const METHODS = ["GET"];

/** What tells the metrics. */
export interface MetricsReader {
  readonly contentType: string;
  /** All of them, in the format of the content type; never fails because of what it could not find out. */
  read(): Promise<string>;
}

/**
 * Registers `/metrics` (decision 44).
 * @param token what a reader has to bring; undefined lets in requests from this machine only
 */
export function registerMetricsRoute(
  app: FastifyInstance,
  reader: MetricsReader,
  token: string | undefined,
): void {
  const wanted = token === undefined ? undefined : hash(token);
  app.route({
    method: METHODS,
    url: PATH,
    // Before a body is read.
    onRequest: async (request) => requireReader(request, wanted),
    handler: async (_request, reply) => reply.type(reader.contentType).send(await reader.read()),
  });
  refuseOtherMethods(app, PATH, METHODS);
}

function requireReader(request: FastifyRequest, wanted: Buffer | undefined): void {
  if (wanted === undefined) {
    if (isOpenedHere(request)) return;
    throw new DomainError(
      "forbidden",
      "Without METRICS_TOKEN, metrics are read at the service's own machine only.",
    );
  }
  const [, given = ""] = /^bearer +(\S+) *$/i.exec(request.headers.authorization ?? "") ?? [];
  // Of equal length, and compared in constant time.
  if (timingSafeEqual(hash(given), wanted)) return;
  throw new DomainError(
    "unauthenticated",
    "The Authorization header must read: Bearer <METRICS_TOKEN>, as the service's settings have it.",
  );
}

function hash(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
