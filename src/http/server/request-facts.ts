import type { Tenant } from "../../domain/accounts/caller.js";
import type { Deadline } from "../../domain/shared/deadline.js";
import type { Span } from "../../telemetry/tracing.js";

// Fastify would give each request a place for each of these, which takes longer than to look for one that is not there.
declare module "fastify" {
  interface FastifyRequest {
    /** Whose data is asked for, set by the face that checks the credentials; null without any. */
    tenant?: (Tenant & { readonly keyId?: number }) | null;
    /** Until when it must be answered. */
    deadline?: Deadline;
    /** The code of the error that is answered. */
    errorCode?: string | undefined;
    /** Whether events are streamed, for as long as the client likes. */
    isStream?: boolean;
    /** Whether it may have changed something, so that its sender must hear what became of it. */
    hasWritten?: boolean;
    /** Where the request is traced. */
    span?: Span;
  }
}

const HEALTH_CHECKS = new Set(["/livez", "/readyz"]);
const PROBES = new Set(["/livez", "/readyz", "/metrics"]);

/** Says whether somebody asks every second or so for the state of the process: its log has a line when that changes. */
export function isHealthCheck({ url }: { readonly url: string }): boolean {
  return HEALTH_CHECKS.has(url);
}

/** Says whether machines ask there all the time: of such requests only failures are worth a line, and none a trace. */
export function isProbe({ url }: { readonly url: string }): boolean {
  return PROBES.has(url);
}
