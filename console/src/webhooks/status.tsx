import type { DeliveryPartsFragment, EndpointPartsFragment } from "../api/generated/operations.js";
import { hashOf } from "../routing/route.js";

const REASONS = {
  ADMIN: "Disabled",
  GONE: "Disabled: it answered 410",
  FAILING: "Disabled: it failed for days",
} as const;

export function EndpointStatus({ endpoint: { health } }: { readonly endpoint: EndpointPartsFragment }) {
  switch (health.status) {
    case "HEALTHY":
      return <span className="badge good">Healthy</span>;
    case "FAILING":
      return (
        <span className="badge bad">{isPaused(health.pausedUntil) ? "Failing, paused" : "Failing"}</span>
      );
    case "DISABLED":
      return <span className="badge">{REASONS[health.disabledReason ?? "ADMIN"]}</span>;
    case "UNKNOWN":
      return <span className="badge">Not tried yet</span>;
  }
}

export function DeliveryState({ delivery }: { readonly delivery: DeliveryPartsFragment }) {
  const { state, attempts } = delivery;
  switch (state) {
    case "DELIVERED":
      return <span className="badge good">Delivered</span>;
    case "DEAD":
      return <span className="badge bad">Failed</span>;
    case "PENDING":
      return <span className="badge warning">{attempts === 0 ? "Pending" : "Retrying"}</span>;
  }
}

/** The event's subject: the external ID of a group or the name of a site, which links to its page unless the event is its deletion. */
export function Subject({ delivery: { event, payload } }: { readonly delivery: DeliveryPartsFragment }) {
  const data = propertyOf(payload, "data");
  const providedId = propertyOf(propertyOf(data, "userGroup"), "providedId");
  const name = providedId ?? propertyOf(propertyOf(data, "siteConfig"), "site");
  if (typeof name !== "string") return "–";
  if (event.endsWith("_DELETED")) return name;
  return <a href={hashOf([name === providedId ? "groups" : "sites", name])}>{name}</a>;
}

/** The receiver's answer to the last attempt. */
export function responseOf({ lastStatus, lastError, attempts }: DeliveryPartsFragment): string {
  if (lastStatus !== null) return String(lastStatus);
  return lastError ?? (attempts === 0 ? "–" : "no answer yet");
}

function isPaused(until: string | null): boolean {
  return until !== null && Date.parse(until) > Date.now();
}

function propertyOf(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
}
