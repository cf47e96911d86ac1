import { createHash, timingSafeEqual } from "node:crypto";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { DomainError } from "../../domain/shared/errors.js";
import { refuseOtherMethods } from "../../rest/method-refusal.js";
import { isOpenedHere } from "../pages/loopback.js";

const PATH = "/metrics";
const METHODS = ["GET"];

/** What tells the metrics. */
export interface MetricsReader {
  readonly contentType: string;
  /** All of them, in the format of the content type; never fails because of what it could not find out. */
  read(): Promise<string>;
}

/** Who may read metrics. */
export interface MetricsAccess {
  /** What a reader has to bring; undefined: see `isOpenHere`. */
  readonly token: string | undefined;
  /** Whether without a token requests from this machine are answered; of others none is. */
  readonly isOpenHere: boolean;
}

/** Registers `/metrics` (decision 44). */
export function registerMetricsRoute(
  app: FastifyInstance,
  reader: MetricsReader,
  { token, isOpenHere }: MetricsAccess,
): void {
  const requireReader = token === undefined ? localReader(isOpenHere) : bearerOf(token);
  app.route({
    method: METHODS,
    url: PATH,
    // Before a body is read.
    onRequest: async (request) => requireReader(request),
    handler: async (_request, reply) => reply.type(reader.contentType).send(await reader.read()),
  });
  refuseOtherMethods(app, PATH, METHODS);
}

type Requirement = (request: FastifyRequest) => void;

function localReader(isOpenHere: boolean): Requirement {
  return (request) => {
    if (isOpenHere && isOpenedHere(request)) return;
    throw new DomainError(
      "forbidden",
      "Set METRICS_TOKEN to read metrics: without it they are for the service's own machine only, where HOST is a loopback address, and neither DATABASE_URL nor TRUSTED_PROXIES is set.",
    );
  };
}

function bearerOf(token: string): Requirement {
  const wanted = hash(token);
  return ({ headers }) => {
    const [, given = ""] = /^bearer +(\S+) *$/i.exec(headers.authorization ?? "") ?? [];
    // Of equal length, and compared in constant time.
    if (timingSafeEqual(hash(given), wanted)) return;
    throw new DomainError(
      "unauthenticated",
      "The Authorization header must read: Bearer <METRICS_TOKEN>, as the service's settings have it.",
    );
  };
}

function hash(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
