import { useState } from "react";
import { SetSiteVisibilityDocument, type SitePartsFragment } from "../api/generated/operations.js";
import type { UserErrors } from "../api/user-errors.js";
import { ConfirmDialog } from "../parts/confirm-dialog.js";
import { useNotice } from "../parts/notices.js";
import { useMutation } from "../session/use-mutation.js";

interface SiteVisibilityProps {
  readonly site: SitePartsFragment;
  readonly onRead: (site: SitePartsFragment) => void;
}

/** Makes a site public or private. */
export function SiteVisibility({ site: { site, public: isPublic }, onRead }: SiteVisibilityProps) {
  const [isConfirming, setConfirming] = useState(false);
  const [errors, setErrors] = useState<UserErrors>([]);
  const change = useMutation(SetSiteVisibilityDocument);
  const notify = useNotice();

  async function run() {
    const result = await change.run({ site, public: !isPublic });
    if (!result) return;
    const { siteConfig, userErrors } = result.setSiteConfigVisibility;
    setErrors(userErrors);
    if (!siteConfig) return;
    setConfirming(false);
    onRead(siteConfig);
    notify(
      siteConfig.public ? "Everybody can read the site now." : "Only holders of a key can read the site now.",
    );
  }
  return (
    <>
      <button type="button" onClick={() => setConfirming(true)}>
        {isPublic ? "Close to the public…" : "Open to everybody…"}
      </button>
      {isConfirming && (
        <ConfirmDialog
          title={isPublic ? "Close the site?" : "Open the site to everybody?"}
          action={isPublic ? "Close" : "Open"}
          isBusy={change.isBusy}
          failure={change.failure}
          errors={errors}
          onConfirm={() => void run()}
          onClose={() => setConfirming(false)}
        >
          <p>
            {isPublic
              ? "Only holders of an API key can read the configuration then."
              : "Everybody can read this revision and later ones over HTTP then, without a key; earlier ones stay closed."}
          </p>
        </ConfirmDialog>
      )}
    </>
  );
}
