import { RestoreSiteDocument, type SitePartsFragment } from "../api/generated/operations.js";
import { MutationDialog } from "../parts/confirm-dialog.js";
import { useNotice } from "../parts/notices.js";

interface RestoreRevisionProps {
  readonly site: SitePartsFragment;
  readonly revision: number;
  readonly onUpdate: (site: SitePartsFragment) => void;
  readonly onClose: () => void;
}

/** Restores an earlier revision as a new one. */
export function RestoreRevision({ site, revision, onUpdate, onClose }: RestoreRevisionProps) {
  const notify = useNotice();
  return (
    <MutationDialog
      title={`Restore revision ${revision}?`}
      action="Restore revision"
      isHarmless
      document={RestoreSiteDocument}
      variables={{ site: site.site, revision, expectedRevision: site.revision }}
      onDone={({ siteConfig }) => {
        if (!siteConfig) return;
        onClose();
        onUpdate(siteConfig);
        notify(`Revision ${revision} was restored as revision ${siteConfig.revision}.`);
      }}
      onClose={onClose}
    >
      <p>
        Its text is saved as revision {site.revision + 1}. Revision {site.revision} is kept.
      </p>
    </MutationDialog>
  );
}
