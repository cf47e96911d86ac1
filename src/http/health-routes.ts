import type { FastifyInstance } from "fastify";
import type { Services } from "../services/services.js";

/** Registers `/livez` (the process answers) and `/readyz` (so does the database; 503 otherwise). */
export function registerHealthRoutes(app: FastifyInstance, services: Services): void {
  app.get("/livez", async () => ({ status: "ok" }));
  app.get("/readyz", async () => {
    await services.checkReadiness();
    return { status: "ok" };
  });
}
