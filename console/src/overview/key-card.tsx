import type { AdminOverviewQuery } from "../api/generated/operations.js";
import { SOON_MS } from "../parts/expiry.js";
import { Time } from "../parts/time.js";
import { hashOf } from "../routing/route.js";

/** API keys that expire within 30 days. */
export function KeyCard({ data: { apiKeys } }: { readonly data: AdminOverviewQuery }) {
  const soon = apiKeys.nodes
    .flatMap((key) => (key.expiresAt === null ? [] : [{ ...key, expiresAt: key.expiresAt }]))
    .filter(({ expiresAt }) => Date.parse(expiresAt) - Date.now() < SOON_MS)
    .sort((one, other) => one.expiresAt.localeCompare(other.expiresAt));
  return (
    <section className="card" aria-labelledby="expiring">
      <h2 id="expiring">Keys about to expire</h2>
      {soon.length === 0 ? (
        <p className="fine">No API key expires within 30 days.</p>
      ) : (
        <ul className="rows">
          {soon.map(({ id, name, hint, expiresAt }) => (
            <li key={id}>
              <span>
                {name} <span className="fine code">{hint}</span>
              </span>
              <span className="badge warning">
                <Time at={expiresAt} isRelative />
              </span>
            </li>
          ))}
        </ul>
      )}
      <a href={hashOf(["keys"])}>Manage API keys</a>
    </section>
  );
}
