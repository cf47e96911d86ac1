import type { AdminOverviewQuery } from "../api/generated/operations.js";
import { plural } from "../parts/plural.js";
import { hashOf } from "../routing/route.js";
import { Figure } from "./figure.js";

/** Webhook endpoints with problems, and the state of the deliveries. */
export function WebhookCard({ data }: { readonly data: AdminOverviewQuery }) {
  const { nodes } = data.webhookEndpoints;
  const failing = nodes.filter(
    ({ disabledAt, health }) => disabledAt !== null || health.consecutiveFailures > 0,
  );
  const untried = nodes.filter(({ health }) => health.status === "UNKNOWN").length;
  return (
    <section className="card" aria-labelledby="webhooks">
      <h2 id="webhooks">Webhooks</h2>
      <dl className="figures">
        <Figure label="Endpoints" value={nodes.length} />
        <Figure label="Pending deliveries" value={data.pending.totalCount} />
        <Figure label="Given up" value={data.dead.totalCount} />
      </dl>
      {untried > 0 && <p className="fine">{plural(untried, "endpoint")} not tried yet.</p>}
      {nodes.length > 0 && failing.length + untried === 0 && (
        <p className="fine">All endpoints accept deliveries.</p>
      )}
      <ul className="rows">
        {failing.map(({ id, name, disabledAt, health }) => (
          <li key={id}>
            <a className="plain" href={hashOf(["webhooks", id])}>
              {name}
            </a>
            {disabledAt === null ? (
              <span className="badge bad">{plural(health.consecutiveFailures, "failure")} in a row</span>
            ) : (
              <span className="badge">Disabled</span>
            )}
          </li>
        ))}
      </ul>
      <a href={hashOf(["webhooks"])}>Manage webhooks</a>
    </section>
  );
}
