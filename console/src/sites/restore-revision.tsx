import { RestoreSiteDocument, type SitePartsFragment } from "../api/generated/operations.js";
import { ConfirmDialog } from "../parts/confirm-dialog.js";
import { useNotice } from "../parts/notices.js";
import { useMutation } from "../session/use-mutation.js";

interface RestoreRevisionProps {
  readonly site: SitePartsFragment;
  readonly revision: number;
  readonly onUpdate: (site: SitePartsFragment) => void;
  readonly onClose: () => void;
}

/** Restores an earlier revision as a new one. */
export function RestoreRevision({ site, revision, onUpdate, onClose }: RestoreRevisionProps) {
  const restore = useMutation(RestoreSiteDocument);
  const notify = useNotice();

  async function run() {
    const payload = await restore.run({ site: site.site, revision, expectedRevision: site.revision });
    if (!payload?.siteConfig) return;
    const { siteConfig } = payload;
    onClose();
    onUpdate(siteConfig);
    notify(`Revision ${revision} was restored as revision ${siteConfig.revision}.`);
  }
  return (
    <ConfirmDialog
      title={`Restore revision ${revision}?`}
      action="Restore revision"
      isHarmless
      mutation={restore}
      onConfirm={() => void run()}
      onClose={onClose}
    >
      <p>
        Its text is saved as revision {site.revision + 1}. Revision {site.revision} is kept.
      </p>
    </ConfirmDialog>
  );
}
