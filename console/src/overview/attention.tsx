import type { AdminOverviewQuery } from "../api/generated/operations.js";
import { SOON_MS } from "../parts/expiry.js";
import { hashOf } from "../routing/route.js";

/** Something that needs attention, with a link to the page for it. */
interface Concern {
  readonly label: string;
  /** How many there are, or which. */
  readonly value: string;
  readonly action: string;
  readonly href: string;
}

const MAX_NAMES = 3;
const LIST = new Intl.ListFormat("en");

export function Attention({ concerns }: { readonly concerns: readonly Concern[] }) {
  return (
    <section className="card" aria-labelledby="attention">
      <h2 id="attention">Needs attention</h2>
      {concerns.length === 0 && <p className="fine">Nothing needs attention.</p>}
      <ul className="rows">
        {concerns.map(({ label, value, action, href }) => (
          <li key={label}>
            <span>
              {label}: <strong>{value}</strong>
            </span>
            <a className="button" href={href}>
              {action}
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Returns the answer to "Is all well?". */
export function verdictOf(concerns: readonly Concern[]): string {
  if (concerns.length === 1) return "1 thing needs attention.";
  return concerns.length > 1 ? `${concerns.length} things need attention.` : "All is well.";
}

/** Returns at most one item of each kind. */
export function concernsOf({ webhookEndpoints, dead, apiKeys }: AdminOverviewQuery): readonly Concern[] {
  const concerns: Concern[] = [];
  const bad = webhookEndpoints.nodes.filter(({ health: { status } }) =>
    ["FAILING", "DISABLED"].includes(status),
  );
  if (bad.length > 0) {
    const [one, ...more] = bad;
    concerns.push({
      label: "Webhook endpoints that fail or are disabled",
      value: namesOf(bad),
      action: more.length === 0 ? "Show endpoint" : "Show endpoints",
      href: hashOf(one && more.length === 0 ? ["webhooks", one.id] : ["webhooks"]),
    });
  }
  if (dead.totalCount > 0) {
    const ids = new Set(dead.nodes.map(({ endpoint }) => endpoint?.id));
    const [id] = ids;
    concerns.push({
      label: "Webhook deliveries that were given up",
      value: dead.totalCount.toLocaleString(),
      action: "Show deliveries",
      href: id && ids.size === 1 ? hashOf(["webhooks", id], { state: "DEAD" }) : hashOf(["webhooks"]),
    });
  }
  const soon = apiKeys.nodes.filter(
    ({ expiresAt }) => expiresAt !== null && Date.parse(expiresAt) - Date.now() < SOON_MS,
  );
  if (soon.length > 0) {
    concerns.push({
      label: "API keys that expire within 30 days",
      value: namesOf(soon),
      action: "Create a key",
      href: hashOf(["keys"], { new: "yes" }),
    });
  }
  return concerns;
}

function namesOf(items: readonly { readonly name: string }[]): string {
  const names = items.slice(0, MAX_NAMES).map(({ name }) => name);
  const more = items.length - names.length;
  return LIST.format(more > 0 ? [...names, `${more.toLocaleString()} more`] : names);
}
