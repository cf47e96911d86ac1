import { useState } from "react";
import { type SitePartsFragment, SiteRevisionsDocument } from "../api/generated/operations.js";
import { List } from "../parts/list.js";
import { Loaded } from "../parts/loaded.js";
import { usePageVariables } from "../parts/pager.js";
import { Time } from "../parts/time.js";
import { useScope } from "../session/session.js";
import { useQuery } from "../session/use-query.js";
import { RestoreRevision } from "./restore-revision.js";
import { ShowRevision } from "./show-revision.js";

interface RevisionsProps {
  readonly site: SitePartsFragment;
  /** Called with a newer version of the site. */
  readonly onUpdate: (site: SitePartsFragment) => void;
}

/** The revisions of a site, reloaded when a new one is saved. */
export function Revisions({ site, onUpdate }: RevisionsProps) {
  return (
    <section aria-labelledby="revisions">
      <h2 id="revisions">Revisions</h2>
      <RevisionList key={site.revision} site={site} onUpdate={onUpdate} />
    </section>
  );
}

function RevisionList({ site, onUpdate }: RevisionsProps) {
  const query = useQuery(SiteRevisionsDocument, { site: site.site, ...usePageVariables() });
  const canWrite = useScope("WRITE");
  const [shown, setShown] = useState<number | null>(null);
  const [restored, setRestored] = useState<number | null>(null);
  return (
    <>
      <Loaded query={query}>
        {({ siteConfig }) =>
          siteConfig && (
            <List
              caption="Revisions, newest first"
              page={siteConfig.revisions}
              columns={[
                {
                  title: "Revision",
                  isRowHead: true,
                  cell: ({ revision, restoredFrom }) => (
                    <>
                      {revision}
                      {restoredFrom !== null && (
                        <span className="fine below">restored from {restoredFrom}</span>
                      )}
                    </>
                  ),
                },
                { title: "Time", cell: ({ createdAt }) => <Time at={createdAt} /> },
                { title: "Author", isWideOnly: true, cell: ({ authorName }) => authorName },
                {
                  title: "Actions",
                  isTitleHidden: true,
                  className: "row-actions",
                  cell: ({ revision }) => (
                    <>
                      <button
                        type="button"
                        aria-label={`Show revision ${revision}`}
                        onClick={() => setShown(revision)}
                      >
                        Show
                      </button>
                      {canWrite && revision !== site.revision && (
                        <button
                          type="button"
                          aria-label={`Restore revision ${revision}`}
                          onClick={() => setRestored(revision)}
                        >
                          Restore…
                        </button>
                      )}
                    </>
                  ),
                },
              ]}
            />
          )
        }
      </Loaded>
      {shown !== null && <ShowRevision site={site} revision={shown} onClose={() => setShown(null)} />}
      {restored !== null && (
        <RestoreRevision
          site={site}
          revision={restored}
          onUpdate={onUpdate}
          onClose={() => setRestored(null)}
        />
      )}
    </>
  );
}
