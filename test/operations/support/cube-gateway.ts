import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import express from "express";
import { onTestFinished, vi } from "vitest";
import type { Data } from "../../support/graphql/graphql-fixture.js";
import { serve } from "./own-data.js";

const GATEWAY = "@cubejs-backend/api-gateway";

/** Cube's gateway is an optional package, because of its size. */
export const hasCubeGateway = existsSync(
  fileURLToPath(new URL(`../node_modules/${GATEWAY}`, import.meta.url)),
);

/** The settings of docs/integrations/cube.md, as Cube's server passes them to its gateway. */
export interface CubeSettings {
  readonly jwkUrl: string;
  readonly issuer?: string;
  readonly audience?: string;
}

/** Starts Cube's gateway until the test ends. @returns a function that gets the security context of a request */
export async function startCubeGateway(settings: CubeSettings, environment = "production") {
  const { ApiGateway } = createRequire(import.meta.url)(GATEWAY);
  class Gateway extends ApiGateway {
    /** There is no SQL API: it needs a program that is not installed. */
    createSQLServerInstance(): undefined {
      return undefined;
    }
  }
  vi.stubEnv("NODE_ENV", environment);
  const unused = async () => undefined;
  const jwt = { ...settings, algorithms: ["ES256"] };
  const options = { basePath: "/", standalone: true, dataSourceStorage: {}, refreshScheduler: {}, jwt };
  // It logs the tokens that it refuses.
  const gateway: Data = Reflect.construct(Gateway, ["no secret", unused, unused, () => undefined, options]);
  vi.unstubAllEnvs();
  const app = express();
  app.get("/", gateway.checkAuth, (request: Data, response) => {
    response.json(request.securityContext ?? null);
  });
  const server = await serve(app);
  onTestFinished(() => {
    gateway.release();
    server.close();
  });
  return async (token?: string): Promise<{ readonly status: number; readonly body: Data }> => {
    const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
    const reply = await fetch(server.url, { headers });
    return { status: reply.status, body: await reply.json() };
  };
}
