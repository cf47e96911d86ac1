import type { FastifyInstance } from "fastify";
import type { Tenant } from "../domain/caller.js";
import type { Span } from "../domain/telemetry/tracing.js";

declare module "fastify" {
  interface FastifyRequest {
    /** Whose data is asked for, set by the face that checks the credentials; null without any. */
    tenant: (Tenant & { readonly keyId?: number }) | null;
    /** The code of the error that is answered. */
    errorCode: string | undefined;
    /** Whether events are streamed, for as long as the client likes. */
    isStream: boolean;
    /** Where the request is traced. */
    span: Span | undefined;
  }
  interface FastifyContextConfig {
    /** Whether machines ask here all the time: of such requests only failures are worth a line, and none a trace. */
    isProbe?: boolean;
  }
}

/** Gives requests a place for what log, metrics and traces tell of them. */
export function decorateRequests(app: FastifyInstance): void {
  app.decorateRequest("tenant", null);
  app.decorateRequest("errorCode", undefined);
  app.decorateRequest("isStream", false);
  app.decorateRequest("span", undefined);
}
