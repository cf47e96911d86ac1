import {
  type AuditAction,
  GroupActivityDocument,
  type GroupPartsFragment,
} from "../api/generated/operations.js";
import { ACTIONS } from "../parts/audit-actions.js";
import { Loaded } from "../parts/loaded.js";
import { Time } from "../parts/time.js";
import { hashOf } from "../routing/route.js";
import { useQuery } from "../session/use-query.js";

const GROUP_ACTIONS: AuditAction[] = [
  "USER_GROUP_CREATED",
  "USER_GROUP_UPDATED",
  "USER_GROUP_TOKEN_ROTATED",
  "USER_GROUP_EMBED_SESSION_CREATED",
  "USER_GROUP_DELETED",
];

/** The group's latest entries in the audit log. */
export function GroupActivity({ group }: { readonly group: GroupPartsFragment }) {
  const { providedId } = group;
  return (
    <section className="card" aria-labelledby="activity">
      <h2 id="activity">Activity</h2>
      <Entries subjectName={providedId} />
      <a href={hashOf(["audit"], { subject: providedId })}>View in the audit log</a>
    </section>
  );
}

function Entries({ subjectName }: { readonly subjectName: string }) {
  const query = useQuery(GroupActivityDocument, { subjectName, actions: GROUP_ACTIONS });
  return (
    <Loaded query={query}>
      {({ auditLog }) => (
        <ul className="rows stacked">
          {auditLog.nodes.map(({ id, action, changed, actorName, createdAt, subjectVersion }) => (
            <li key={id}>
              <span>
                {ACTIONS[action]}
                {changed.length > 0 && <>: {changed.join(", ")}</>}{" "}
                <span className="fine by">by {actorName}</span>
              </span>
              <span className="fine">
                {subjectVersion !== null && <>version {subjectVersion}, </>}
                <Time at={createdAt} isRelative />
              </span>
            </li>
          ))}
        </ul>
      )}
    </Loaded>
  );
}
