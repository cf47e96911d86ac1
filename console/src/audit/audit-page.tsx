import { useState } from "react";
import { type AuditFilter, AuditLogDocument } from "../api/generated/operations.js";
import { ACTIONS } from "../parts/audit-actions.js";
import { Empty } from "../parts/empty.js";
import { List } from "../parts/list.js";
import { Loaded } from "../parts/loaded.js";
import { Page } from "../parts/page.js";
import { usePageVariables } from "../parts/pager.js";
import { Problem } from "../parts/problem.js";
import { Time } from "../parts/time.js";
import { useRoute } from "../routing/navigation.js";
import { hashOf } from "../routing/route.js";
import { useQuery } from "../session/use-query.js";
import { AuditSearch } from "./audit-search.js";
import {
  Action,
  Actor,
  BulkChangeLink,
  type EntryProps,
  RequestId,
  Subject,
  useFilterLink,
} from "./entry-parts.js";
import { ExportLog } from "./export-log.js";
import { dayOf, useAuditFilter } from "./filter.js";
import { groupByRequest, type RequestGroup } from "./request-groups.js";

export function AuditPage() {
  const { filter, errors } = useAuditFilter();
  return (
    <Page
      title="Audit log"
      description="Who changed what, and when, grouped by request. Values are not recorded. Select a time, action, actor or request ID to filter by it."
      actions={errors.length === 0 && <ExportLog filter={filter} />}
    >
      <AuditSearch />
      <Problem errors={errors} />
      {errors.length === 0 && <Entries filter={filter} />}
    </Page>
  );
}

function Entries({ filter }: { readonly filter: AuditFilter | undefined }) {
  const { path } = useRoute();
  const query = useQuery(AuditLogDocument, { ...usePageVariables(), ...(filter ? { filter } : {}) });
  return (
    <Loaded query={query}>
      {({ auditLog: { nodes, pageInfo } }) => (
        <List
          caption="Audit log, newest first; consecutive entries of a request are grouped"
          unit="Entries"
          page={{ nodes: groupByRequest(nodes, pageInfo), pageInfo }}
          empty={
            <Empty
              title={filter ? "No entries match the filter" : "No entries yet"}
              action={
                filter && (
                  <a className="button" href={hashOf(path)}>
                    Clear filter
                  </a>
                )
              }
            >
              {!filter &&
                "Each change of a group, data source, site, API key or webhook endpoint is recorded here."}
            </Empty>
          }
          columns={[
            { title: "Time", className: "moment", cell: (group) => <Moment group={group} /> },
            {
              title: "Change and subject",
              className: "subject",
              cell: (group) => <ChangesAndActor group={group} />,
            },
            { title: "Actor", isWideOnly: true, cell: ({ first }) => <Actor entry={first} /> },
            { title: "Request ID", isWideOnly: true, cell: ({ first }) => <RequestId entry={first} /> },
          ]}
        />
      )}
    </Loaded>
  );
}

/** The time, which links to all entries of the day. */
function Moment({ group: { first } }: { readonly group: RequestGroup }) {
  const linkTo = useFilterLink();
  const day = dayOf(new Date(first.createdAt));
  return (
    <>
      <a className="plain" href={linkTo({ from: day, to: day })}>
        <Time at={first.createdAt} />
      </a>
      <span className="fine below wide-only">
        <Time at={first.createdAt} isRelative />
      </span>
    </>
  );
}

/** The changes, and on narrow screens the actor and the request ID, which have no columns there. */
function ChangesAndActor({ group }: { readonly group: RequestGroup }) {
  return (
    <>
      <Changes group={group} />
      <BulkChangeLink entry={group.first} />
      <div className="narrow-only made-by">
        <Actor entry={group.first} />
        <RequestId entry={group.first} />
      </div>
    </>
  );
}

/** The changes of a request. More than one are collapsed. */
function Changes({ group: { entries, first, isCut } }: { readonly group: RequestGroup }) {
  const [isOpen, setOpen] = useState(false);
  if (entries.length === 1) {
    return <Change entry={first} />;
  }
  return (
    <div>
      <button type="button" className="link more" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        {titleOf(entries)}
        {isCut && " on this page"}
      </button>
      <span className="fine below">{subjectsOf(entries)}</span>
      {isOpen && (
        <ul className="changes">
          {entries.map((entry) => (
            <li key={entry.id}>
              <Change entry={entry} />
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

function Change({ entry }: EntryProps) {
  return (
    <div className="change">
      <span>
        <Action entry={entry} />
      </span>
      <span>
        <Subject entry={entry} />
      </span>
    </div>
  );
}

/** Returns what a request did: its only action with a count, the actions on its only subject, or the number of its changes. */
function titleOf(entries: RequestGroup["entries"]): string {
  const actions = [...new Set(entries.map(({ action }) => ACTIONS[action]))];
  if (actions.length === 1) return `${actions[0]} (${entries.length})`;
  const isOneSubject = new Set(entries.map(({ subjectId }) => subjectId)).size === 1;
  return isOneSubject ? actions.join(", ") : `${entries.length} changes in one request`;
}

function subjectsOf(entries: RequestGroup["entries"]): string {
  const [first, ...others] = new Set(entries.map(({ subjectName }) => subjectName));
  return others.length === 0 ? (first ?? "") : `${first} and ${others.length} more`;
}
