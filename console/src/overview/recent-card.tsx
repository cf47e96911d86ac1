import type { AdminOverviewQuery } from "../api/generated/operations.js";
import { ACTIONS } from "../parts/audit-actions.js";
import { SubjectName } from "../parts/subject-name.js";
import { Time } from "../parts/time.js";
import { hashOf } from "../routing/route.js";

const MAX_SHOWN = 6;

type Entry = AdminOverviewQuery["recent"]["nodes"][number];

export function RecentCard({ recent }: { readonly recent: AdminOverviewQuery["recent"] }) {
  const runs = runsOf(recent.nodes);
  return (
    <section className="card" aria-labelledby="changes">
      <h2 id="changes">Recent changes</h2>
      <ul className="rows">
        {runs.slice(0, MAX_SHOWN).map((run, index) => (
          <li key={run.entry.id}>
            <Run {...run} isCut={recent.pageInfo.hasNextPage && index === runs.length - 1} />
          </li>
        ))}
      </ul>
      <a href={hashOf(["audit"])}>Show the audit log</a>
    </section>
  );
}

interface RunProps {
  /** The latest of the entries. */
  readonly entry: Entry;
  readonly count: number;
  /** Whether there may be further ones. */
  readonly isCut: boolean;
}

function Run({ entry, count, isCut }: RunProps) {
  const { action, subject, subjectId, subjectName, actorName, createdAt } = entry;
  return (
    <>
      <span>
        {ACTIONS[action]}{" "}
        <SubjectName
          action={action}
          id={subjectId}
          name={subjectName}
          label={subject?.__typename === "UserGroup" ? subject.name : subjectName}
        />
        {count > 1 && ` ${count} times${isCut ? " or more" : ""}`}{" "}
        <span className="fine">by {actorName}</span>
      </span>
      <span className="fine">
        <Time at={createdAt} isRelative />
      </span>
    </>
  );
}

/** Groups entries that follow each other and have the same action, subject and actor. */
function runsOf(entries: readonly Entry[]): { readonly entry: Entry; readonly count: number }[] {
  const runs: { entry: Entry; count: number }[] = [];
  for (const entry of entries) {
    const last = runs.at(-1);
    if (last && keyOf(last.entry) === keyOf(entry)) last.count++;
    else runs.push({ entry, count: 1 });
  }
  return runs;
}

function keyOf({ action, subjectId, actorName }: Entry): string {
  return JSON.stringify([action, subjectId, actorName]);
}
