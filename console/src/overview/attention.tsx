import type { AdminOverviewQuery, OverviewQuery } from "../api/generated/operations.js";
import { SOON_MS } from "../parts/expiry.js";
import { plural } from "../parts/plural.js";
import { hashOf } from "../routing/route.js";

/** Something that needs attention, with a link to the page for it. */
interface Concern {
  /** Whether something does not work, unlike what is only unfinished or due soon. */
  readonly isFailure: boolean;
  readonly label: string;
  /** How many there are, or which. */
  readonly value: string;
  readonly action: string;
  readonly href: string;
}

const FORMER_DAYS = 7;
/** The error rate of today is reported from this many errors on, and if it is this many times that of the days before. */
const MIN_ERRORS = 10;
const MIN_RATE = 0.01;
const MIN_RATIO = 3;
const MAX_NAMES = 3;
const LIST = new Intl.ListFormat("en");
const PERCENT = new Intl.NumberFormat(undefined, { style: "percent", maximumSignificantDigits: 2 });

interface AttentionProps {
  readonly concerns: readonly Concern[];
  /** Whether webhooks and API keys are included. */
  readonly isAdmin: boolean;
}

export function Attention({ concerns, isAdmin }: AttentionProps) {
  return (
    <section className="card" aria-labelledby="attention">
      <h2 id="attention">Needs attention</h2>
      {concerns.length === 0 && <p className="fine">Nothing needs attention.</p>}
      <ul className="rows">
        {concerns.map(({ isFailure, label, value, action, href }) => (
          <li key={label} className={isFailure ? "failure" : undefined}>
            <span>
              {label}: <strong>{value}</strong>
            </span>
            <a className="button" href={href}>
              {action}
            </a>
          </li>
        ))}
      </ul>
      {!isAdmin && <p className="fine">Webhooks and API keys are checked only with the scope admin.</p>}
    </section>
  );
}

/** Returns the answer to "Is all well?". */
export function verdictOf({ usageDays }: OverviewQuery, concerns: readonly Concern[]): string {
  if (concerns.length === 1) return "1 thing needs attention.";
  if (concerns.length > 1) return `${concerns.length} things need attention.`;
  const { calls = 0, errors = 0 } = usageDays.at(-1) ?? {};
  if (calls === 0) return "All is well: no calls today.";
  const all = `All is well: ${plural(calls, "call")} today`;
  if (errors === 0) return `${all}, without errors.`;
  return calls === 1 ? `${all}, which failed.` : `${all}, ${errors.toLocaleString()} of them failed.`;
}

/**
 * Returns at most one item of each kind.
 * @param admin null without the scope admin
 * @param path the path of the overview
 */
export function concernsOf(
  { usageDays, unmapped }: OverviewQuery,
  admin: AdminOverviewQuery | null,
  path: readonly string[],
): readonly Concern[] {
  const concerns = admin ? adminConcerns(admin) : [];
  const rate = rateOf(usageDays.slice(-1));
  const former = rateOf(usageDays.slice(-1 - FORMER_DAYS, -1));
  const isUnusual = rate >= Math.max(MIN_RATE, MIN_RATIO * former);
  if (isUnusual && (usageDays.at(-1)?.errors ?? 0) >= MIN_ERRORS) {
    concerns.push({
      isFailure: true,
      label: "Calls that failed today",
      value: `${PERCENT.format(rate)}, up from ${PERCENT.format(former)} in the week before`,
      action: "Show errors",
      href: hashOf(path, { chart: "errors" }),
    });
  }
  if (unmapped.nodes.length > 0) {
    concerns.push({
      isFailure: false,
      label: "Groups without mapping",
      value: countOf(unmapped),
      action: "Show groups",
      href: hashOf(["groups"], { mapping: "no" }),
    });
  }
  return concerns;
}

function adminConcerns({ webhookEndpoints, dead, apiKeys }: AdminOverviewQuery): Concern[] {
  const concerns: Concern[] = [];
  const bad = webhookEndpoints.nodes.filter(
    ({ health: { status, disabledReason } }) =>
      ["FAILING", "DISABLED"].includes(status) && disabledReason !== "ADMIN",
  );
  if (bad.length > 0) {
    const [one, ...more] = bad;
    concerns.push({
      isFailure: true,
      label: "Webhook endpoints that fail",
      value: namesOf(bad),
      action: more.length === 0 ? "Show endpoint" : "Show endpoints",
      href: hashOf(one && more.length === 0 ? ["webhooks", one.id] : ["webhooks"]),
    });
  }
  if (dead.nodes.length > 0) {
    const ids = new Set(dead.nodes.map(({ endpoint }) => endpoint?.id));
    const [id] = ids;
    concerns.push({
      isFailure: true,
      label: "Webhook deliveries that failed",
      value: countOf(dead),
      action: "Show deliveries",
      href: id && ids.size === 1 ? hashOf(["webhooks", id], { state: "DEAD" }) : hashOf(["webhooks"]),
    });
  }
  const soon = apiKeys.nodes.filter(
    ({ expiresAt }) => expiresAt !== null && Date.parse(expiresAt) - Date.now() < SOON_MS,
  );
  if (soon.length > 0) {
    concerns.push({
      isFailure: false,
      label: "API keys that expire within 30 days",
      value: namesOf(soon),
      action: "Create a key",
      href: hashOf(["keys"], { new: "yes" }),
    });
  }
  return concerns;
}

function rateOf(days: OverviewQuery["usageDays"]): number {
  const calls = days.reduce((sum, day) => sum + day.calls, 0);
  return calls === 0 ? 0 : days.reduce((sum, day) => sum + day.errors, 0) / calls;
}

/** Counting further items would read all of them. */
function countOf({ nodes, pageInfo }: OverviewQuery["unmapped"] | AdminOverviewQuery["dead"]): string {
  return pageInfo.hasNextPage ? `more than ${nodes.length.toLocaleString()}` : nodes.length.toLocaleString();
}

function namesOf(items: readonly { readonly name: string }[]): string {
  const names = items.slice(0, MAX_NAMES).map(({ name }) => name);
  const more = items.length - names.length;
  return LIST.format(more > 0 ? [...names, `${more.toLocaleString()} more`] : names);
}
