import type { FastifyInstance } from "fastify";
import { DomainError } from "../domain/errors.js";
import type { Services } from "../services/services.js";

/** Registers `/livez` (the process answers) and `/readyz` (so does the database, and more may come; 503 otherwise). */
export function registerHealthRoutes(
  app: FastifyInstance,
  services: Services,
  isShuttingDown: () => boolean,
): void {
  app.get("/livez", async () => ({ status: "ok" }));
  app.get("/readyz", async () => {
    if (isShuttingDown())
      throw new DomainError("unavailable", "The service is shutting down.", { retryAfter: 1 });
    await services.checkReadiness();
    return { status: "ok" };
  });
}
