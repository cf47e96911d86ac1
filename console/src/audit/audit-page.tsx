import { AuditLogDocument, type AuditLogQuery } from "../api/generated/operations.js";
import { ACTIONS } from "../parts/audit-actions.js";
import { List } from "../parts/list.js";
import { Loaded } from "../parts/loaded.js";
import { Page } from "../parts/page.js";
import { usePageVariables } from "../parts/pager.js";
import { Time } from "../parts/time.js";
import { hashOf } from "../routing/route.js";
import { useQuery } from "../session/use-query.js";
import { AuditSearch, useAuditFilter } from "./audit-filter.js";

type Entry = AuditLogQuery["auditLog"]["nodes"][number];

export function AuditPage() {
  const filter = useAuditFilter();
  const query = useQuery(AuditLogDocument, { ...usePageVariables(), ...(filter ? { filter } : {}) });
  return (
    <Page title="Audit log">
      <AuditSearch />
      <Loaded query={query}>
        {({ auditLog }) => (
          <List
            caption="Audit log, newest first"
            page={auditLog}
            empty={
              <p className="empty" role="status">
                No entries match the filter.
              </p>
            }
            columns={[
              { title: "Time", cell: ({ createdAt }) => <Time at={createdAt} /> },
              { title: "Action", cell: (entry) => <Action entry={entry} /> },
              { title: "Subject", className: "subject", cell: (entry) => <Subject entry={entry} /> },
              { title: "Actor", isWideOnly: true, cell: ({ actorName }) => actorName },
              {
                title: "Request ID",
                isWideOnly: true,
                className: "code",
                cell: ({ requestId }) => requestId,
              },
            ]}
          />
        )}
      </Loaded>
    </Page>
  );
}

function Action({ entry: { action, changed } }: { readonly entry: Entry }) {
  return (
    <>
      {ACTIONS[action]}
      {changed.length > 0 && <span className="fine below">{changed.join(", ")}</span>}
    </>
  );
}

/** The changed object, linked if it has a page; it may have been deleted. */
function Subject({ entry: { action, subjectName, subjectVersion } }: { readonly entry: Entry }) {
  const version = subjectVersion === null ? null : <span className="fine"> {subjectVersion}</span>;
  const section = action.startsWith("USER_GROUP") ? "groups" : action.startsWith("SITE") ? "sites" : null;
  if (section === null || action.endsWith("_DELETED")) return <>{subjectName}</>;
  return (
    <>
      <a href={hashOf([section, subjectName])}>{subjectName}</a>
      {version}
    </>
  );
}
