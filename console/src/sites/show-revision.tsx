import { type SitePartsFragment, SiteRevisionDocument } from "../api/generated/operations.js";
import { Dialog } from "../parts/dialog.js";
import { Loaded } from "../parts/loaded.js";
import { Scrolled } from "../parts/scrolled.js";
import { useQuery } from "../session/use-query.js";

interface ShowRevisionProps {
  readonly site: SitePartsFragment;
  readonly revision: number;
  readonly onClose: () => void;
}

/** The text of a revision and the changes since. */
export function ShowRevision({ site, revision, onClose }: ShowRevisionProps) {
  const query = useQuery(SiteRevisionDocument, { site: site.site, revision });
  return (
    <Dialog title={`Revision ${revision}`} isWide onClose={onClose}>
      <Loaded query={query}>
        {({ siteConfig }) => (
          <>
            <Scrolled label={`Text of revision ${revision}`}>
              <pre>{siteConfig?.atRevision?.text}</pre>
            </Scrolled>
            {revision !== site.revision && (
              <>
                <h3>Changes up to revision {site.revision}</h3>
                <Scrolled label={`Changes up to revision ${site.revision}, as a JSON Patch`}>
                  <pre>{changesOf(siteConfig?.diff)}</pre>
                </Scrolled>
              </>
            )}
          </>
        )}
      </Loaded>
      <div className="actions end">
        <button type="button" onClick={onClose}>
          Close
        </button>
      </div>
    </Dialog>
  );
}

/** Formats a JSON Patch with one operation per line. */
function changesOf(diff: unknown): string {
  if (!Array.isArray(diff)) return "";
  return diff.map((operation) => JSON.stringify(operation)).join("\n") || "Only the formatting changed.";
}
