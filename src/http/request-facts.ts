import type { Tenant } from "../domain/caller.js";
import type { Span } from "../domain/telemetry/tracing.js";

// Fastify would give each request a place for each of these, which takes longer than to look for one that is not there.
declare module "fastify" {
  interface FastifyRequest {
    /** Whose data is asked for, set by the face that checks the credentials; null without any. */
    tenant?: (Tenant & { readonly keyId?: number }) | null;
    /** The code of the error that is answered. */
    errorCode?: string | undefined;
    /** Whether events are streamed, for as long as the client likes. */
    isStream?: boolean;
    /** Where the request is traced. */
    span?: Span;
  }
}

const PROBES = new Set(["/livez", "/readyz", "/metrics"]);

/** Says whether machines ask there all the time: of such requests only failures are worth a line, and none a trace. */
export function isProbe({ url }: { readonly url: string }): boolean {
  return PROBES.has(url);
}
