import { useState } from "react";
import { RestoreSiteDocument, type SitePartsFragment } from "../api/generated/operations.js";
import type { UserErrors } from "../api/user-errors.js";
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
  const [errors, setErrors] = useState<UserErrors>([]);
  const restore = useMutation(RestoreSiteDocument);
  const notify = useNotice();

  async function run() {
    const result = await restore.run({ site: site.site, revision, expectedRevision: site.revision });
    if (!result) return;
    const { siteConfig, userErrors } = result.restoreSiteConfig;
    setErrors(userErrors);
    if (!siteConfig) return;
    onClose();
    onUpdate(siteConfig);
    notify(`Revision ${revision} was restored as revision ${siteConfig.revision}.`);
  }
  return (
    <ConfirmDialog
      title={`Restore revision ${revision}?`}
      action="Restore"
      isBusy={restore.isBusy}
      failure={restore.failure}
      errors={errors}
      onConfirm={() => void run()}
      onClose={onClose}
    >
      <p>
        Its text is saved as revision {site.revision + 1}. Revision {site.revision} is kept.
      </p>
    </ConfirmDialog>
  );
}
