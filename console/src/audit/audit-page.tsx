import { AuditLogDocument, type AuditLogQuery } from "../api/generated/operations.js";
import { Loaded } from "../parts/loaded.js";
import { Page } from "../parts/page.js";
import { Pager, usePageVariables } from "../parts/pager.js";
import { Time } from "../parts/time.js";
import { hashOf } from "../routing/route.js";
import { useQuery } from "../session/use-query.js";
import { ACTIONS, AuditSearch, useAuditFilter } from "./audit-filter.js";

type Entry = AuditLogQuery["auditLog"]["nodes"][number];

/** What was changed, by whom, newest first. */
export function AuditPage() {
  const filter = useAuditFilter();
  const query = useQuery(AuditLogDocument, { ...usePageVariables(), ...(filter ? { filter } : {}) });
  return (
    <Page title="Audit log">
      <AuditSearch />
      <Loaded query={query}>
        {({ auditLog: { nodes, pageInfo } }) => (
          <>
            {nodes.length === 0 && (
              <p className="empty" role="status">
                Nothing of this has been done.
              </p>
            )}
            {nodes.length > 0 && (
              <table>
                <caption className="unseen">Audit log, newest first</caption>
                <thead>
                  <tr>
                    <th scope="col">When</th>
                    <th scope="col">What</th>
                    <th scope="col">Of</th>
                    <th scope="col" className="wide-only">
                      By
                    </th>
                    <th scope="col" className="wide-only">
                      Request
                    </th>
                  </tr>
                </thead>
                <tbody>
                  {nodes.map((entry) => (
                    <tr key={entry.id}>
                      <td>
                        <Time at={entry.createdAt} />
                      </td>
                      <td>
                        {ACTIONS[entry.action]}
                        {entry.changed.length > 0 && (
                          <span className="fine below">{entry.changed.join(", ")}</span>
                        )}
                      </td>
                      <td className="subject">
                        <Subject entry={entry} />
                      </td>
                      <td className="wide-only">{entry.actorName}</td>
                      <td className="wide-only code">{entry.requestId}</td>
                    </tr>
                  ))}
                </tbody>
              </table>
            )}
            <Pager pageInfo={pageInfo} />
          </>
        )}
      </Loaded>
    </Page>
  );
}

/** What was changed, with a link where there is a page for it; it may be gone. */
function Subject({ entry: { action, subjectName, subjectVersion } }: { readonly entry: Entry }) {
  const version = subjectVersion === null ? null : <span className="fine"> {subjectVersion}</span>;
  const section = action.startsWith("USER_GROUP") ? "groups" : action.startsWith("SITE") ? "sites" : null;
  if (section === null || action === "USER_GROUP_DELETED") return <>{subjectName}</>;
  return (
    <>
      <a href={hashOf([section, subjectName])}>{subjectName}</a>
      {version}
    </>
  );
}
