import type { FastifyInstance } from "fastify";
import { DomainError, reasonOf } from "../../domain/shared/errors.js";
import type { Services } from "../../services/services.js";

/** Registers `/livez` (the process responds) and `/readyz` (the database responds and the service is not shutting down; otherwise 503). */
export function registerHealthRoutes(
  app: FastifyInstance,
  services: Services,
  isShuttingDown: () => boolean,
): void {
  let wasReady = true;
  const check = async () => {
    if (isShuttingDown())
      throw new DomainError("unavailable", "The service is shutting down.", { retryAfter: 1 });
    await services.checkReadiness();
  };
  app.get("/livez", async () => ({ status: "ok" }));
  app.get("/readyz", async () => {
    try {
      await check();
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
