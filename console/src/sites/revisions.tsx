import { useState } from "react";
import { RestoreSiteDocument, SiteRevisionsDocument } from "../api/generated/operations.js";
import { MutationButton } from "../parts/confirm-dialog.js";
import { List } from "../parts/list.js";
import { Loaded } from "../parts/loaded.js";
import { usePageVariables } from "../parts/pager.js";
import { Time } from "../parts/time.js";
import { useScope } from "../session/session.js";
import { useQuery } from "../session/use-query.js";
import { ShowRevision } from "./show-revision.js";
import type { SiteProps } from "./site-actions.js";

/** The revisions of a site, reloaded when a new one is saved. */
export function Revisions({ site, onUpdate }: SiteProps) {
  return (
    <section aria-labelledby="revisions">
      <h2 id="revisions">Revisions</h2>
      <RevisionList key={site.revision} site={site} onUpdate={onUpdate} />
    </section>
  );
}

function RevisionList({ site, onUpdate }: SiteProps) {
  const query = useQuery(SiteRevisionsDocument, { site: site.site, ...usePageVariables() });
  const canWrite = useScope("WRITE");
  const [shown, setShown] = useState<number | null>(null);
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
                        <MutationButton
                          label="Restore…"
                          name={`Restore revision ${revision}`}
                          title={`Restore revision ${revision}?`}
                          action="Restore revision"
                          isHarmless
                          document={RestoreSiteDocument}
                          variables={{ site: site.site, revision, expectedRevision: site.revision }}
                          notice={`Revision ${revision} was restored as revision ${site.revision + 1}.`}
                          onDone={({ siteConfig }) => siteConfig && onUpdate(siteConfig)}
                        >
                          <p>
                            Its text is saved as revision {site.revision + 1}. Revision {site.revision} is
                            kept.
                          </p>
                        </MutationButton>
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
    </>
  );
}
