import { useState } from "react";
import {
  type SitePartsFragment,
  SiteRevisionsDocument,
  type SiteRevisionsQuery,
} from "../api/generated/operations.js";
import { Loaded } from "../parts/loaded.js";
import { Pager, usePageVariables } from "../parts/pager.js";
import { Time } from "../parts/time.js";
import { useScope } from "../session/session.js";
import { useQuery } from "../session/use-query.js";
import { RestoreRevision } from "./restore-revision.js";
import { ShowRevision } from "./show-revision.js";

type Revision = NonNullable<SiteRevisionsQuery["siteConfig"]>["revisions"]["nodes"][number];

interface RevisionsProps {
  readonly site: SitePartsFragment;
  /** Hears of a newer state of the site. */
  readonly onRead: (site: SitePartsFragment) => void;
}

/** The revisions of a site, asked for anew when there is a newer one. */
export function Revisions({ site, onRead }: RevisionsProps) {
  return (
    <section aria-labelledby="revisions">
      <h2 id="revisions">Revisions</h2>
      <RevisionList key={site.revision} site={site} onRead={onRead} />
    </section>
  );
}

function RevisionList({ site, onRead }: RevisionsProps) {
  const query = useQuery(SiteRevisionsDocument, { site: site.site, ...usePageVariables() });
  const [shown, setShown] = useState<number | null>(null);
  const [restored, setRestored] = useState<number | null>(null);
  return (
    <>
      <Loaded query={query}>
        {({ siteConfig }) =>
          siteConfig && (
            <>
              <Table
                revisions={siteConfig.revisions.nodes}
                current={site.revision}
                onShow={setShown}
                onRestore={setRestored}
              />
              <Pager pageInfo={siteConfig.revisions.pageInfo} />
            </>
          )
        }
      </Loaded>
      {shown !== null && <ShowRevision site={site} revision={shown} onClose={() => setShown(null)} />}
      {restored !== null && (
        <RestoreRevision site={site} revision={restored} onRead={onRead} onClose={() => setRestored(null)} />
      )}
    </>
  );
}

interface TableProps {
  readonly revisions: readonly Revision[];
  readonly current: number;
  readonly onShow: (revision: number) => void;
  readonly onRestore: (revision: number) => void;
}

function Table({ revisions, current, onShow, onRestore }: TableProps) {
  const mayWrite = useScope("write");
  return (
    <table>
      <caption className="unseen">Revisions, newest first</caption>
      <thead>
        <tr>
          <th scope="col">Revision</th>
          <th scope="col">When</th>
          <th scope="col" className="wide-only">
            By
          </th>
          <th scope="col">
            <span className="unseen">Actions</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {revisions.map(({ id, revision, author, createdAt, restoredFrom }) => (
          <tr key={id}>
            <th scope="row">
              {revision}
              {restoredFrom !== null && <span className="fine below">brought back {restoredFrom}</span>}
            </th>
            <td>
              <Time at={createdAt} />
            </td>
            <td className="wide-only">{author}</td>
            <td className="row-actions">
              <button type="button" aria-label={`Show revision ${revision}`} onClick={() => onShow(revision)}>
                Show
              </button>
              {mayWrite && revision !== current && (
                <button
                  type="button"
                  aria-label={`Restore revision ${revision}`}
                  onClick={() => onRestore(revision)}
                >
                  Restore…
                </button>
              )}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
