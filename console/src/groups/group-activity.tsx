import {
  GroupActivityDocument,
  type GroupActivityQuery,
  type GroupPartsFragment,
} from "../api/generated/operations.js";
import { ACTIONS } from "../parts/audit-actions.js";
import { DayChart } from "../parts/day-chart.js";
import { Loaded } from "../parts/loaded.js";
import { Time } from "../parts/time.js";
import { hashOf } from "../routing/route.js";
import { useQuery } from "../session/use-query.js";

/** The group's embed sessions per day, and its latest entries in the audit log, of embed sessions only the last one. */
export function GroupActivity({ group }: { readonly group: GroupPartsFragment }) {
  const { id, providedId } = group;
  return (
    <section className="card" aria-labelledby="activity">
      <h2 id="activity">Activity</h2>
      <Entries id={id} />
      <a href={hashOf(["audit"], { subject: providedId })}>Show in the audit log</a>
    </section>
  );
}

function Entries({ id: groupId }: { readonly id: string }) {
  const query = useQuery(GroupActivityDocument, { by: { id: groupId } });
  return (
    <Loaded query={query}>
      {({ userGroup }) => (
        <>
          {userGroup && <DayChart days={userGroup.embedSessionDays} noun="embed session" variant="line" />}
          <ul className="rows stacked">
            {entriesOf(userGroup).map(({ id, action, changed, actorName, createdAt, subjectVersion }) => (
              <li key={id}>
                <span>
                  {action === "USER_GROUP_EMBED_SESSION_CREATED" && "Latest: "}
                  {ACTIONS[action]}
                  {changed.length > 0 && <>: {changed.join(", ")}</>}{" "}
                  <span className="fine">by {actorName}</span>
                </span>
                <span className="fine">
                  {subjectVersion !== null && <>version {subjectVersion}, </>}
                  <Time at={createdAt} isRelative />
                </span>
              </li>
            ))}
          </ul>
        </>
      )}
    </Loaded>
  );
}

/** Returns the entries, newest first. */
function entriesOf(userGroup: GroupActivityQuery["userGroup"]) {
  const { auditLog, embedSessionLog } = userGroup ?? {};
  const entries = [...(auditLog?.nodes ?? []), ...(embedSessionLog?.nodes ?? [])];
  return entries.toSorted((one, other) => Date.parse(other.createdAt) - Date.parse(one.createdAt));
}
