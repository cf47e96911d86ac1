import type { Span } from "@opentelemetry/api";
import type { Tenant } from "../../domain/accounts/caller.js";
import type { Deadline } from "../../domain/shared/deadline.js";

// Optional properties: decorateRequest would initialize each of them on every request, which takes longer than reading missing ones.
declare module "fastify" {
  interface FastifyRequest {
    /** The authenticated tenant, set by the API that checks the credentials; null without credentials. */
    tenant?: (Tenant & { readonly keyId?: number }) | null;
    deadline?: Deadline;
    /** Ends the request's share of the work in progress, at the latest when the reply has been sent. */
    endWork?: () => void;
    /** The error code of the reply. */
    errorCode?: string | undefined;
    /** Whether the reply is an event stream, which has no deadline. */
    isStream?: boolean;
    /** Whether the request may have changed data, so that its reply must not be replaced by an error. */
    hasWritten?: boolean;
    /** The trace span of the request. */
    span?: Span;
  }
}

const HEALTH_CHECKS = new Set(["/livez", "/readyz"]);
const PROBES = new Set(["/livez", "/readyz", "/metrics"]);

/** Returns whether a path is a health check. These are not logged; changes of the state are. */
export function isHealthCheck({ url }: { readonly url: string }): boolean {
  return HEALTH_CHECKS.has(url);
}

/** Returns whether a path is polled by monitoring: only failures are logged, and nothing is traced. */
export function isProbe({ url }: { readonly url: string }): boolean {
  return PROBES.has(url);
}
