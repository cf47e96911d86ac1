import type { AdminOverviewQuery } from "../api/generated/operations.js";
import { ACTIONS } from "../parts/audit-actions.js";
import { ChangeChart } from "../parts/change-chart.js";
import { SubjectName } from "../parts/subject-name.js";
import { Time } from "../parts/time.js";
import { hashOf } from "../routing/route.js";

/** Changes per day and the latest ones, from the audit log. */
export function RecentCard({ data: { auditDays, recent } }: { readonly data: AdminOverviewQuery }) {
  return (
    <section className="card" aria-labelledby="changes">
      <h2 id="changes">Changes per day</h2>
      <ChangeChart days={auditDays} />
      <h3>Recent changes</h3>
      <ul className="rows">
        {recent.nodes.map(({ id, action, subjectId, subjectName, actorName, createdAt }) => (
          <li key={id}>
            <span>
              {ACTIONS[action]} <SubjectName action={action} id={subjectId} name={subjectName} />{" "}
              <span className="fine">by {actorName}</span>
            </span>
            <span className="fine">
              <Time at={createdAt} isRelative />
            </span>
          </li>
        ))}
      </ul>
      <a href={hashOf(["audit"])}>View audit log</a>
    </section>
  );
}
