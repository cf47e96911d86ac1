import { useState } from "react";
import { SetSiteVisibilityDocument, type SitePartsFragment } from "../api/generated/operations.js";
import { ConfirmDialog } from "../parts/confirm-dialog.js";
import { useNotice } from "../parts/notices.js";
import { useMutation } from "../session/use-mutation.js";

interface SiteVisibilityProps {
  readonly site: SitePartsFragment;
  readonly onUpdate: (site: SitePartsFragment) => void;
}

/** Makes a site public or private. */
export function SiteVisibility({ site: { site, isPublic }, onUpdate }: SiteVisibilityProps) {
  const [isConfirming, setConfirming] = useState(false);
  const change = useMutation(SetSiteVisibilityDocument);
  const notify = useNotice();

  async function run() {
    const payload = await change.run({ site, isPublic: !isPublic });
    if (!payload?.siteConfig) return;
    const { siteConfig } = payload;
    setConfirming(false);
    onUpdate(siteConfig);
    notify(siteConfig.isPublic ? "The site is now public." : "The site is now private.");
  }
  return (
    <>
      <button type="button" onClick={() => setConfirming(true)}>
        {isPublic ? "Make private…" : "Make public…"}
      </button>
      {isConfirming && (
        <ConfirmDialog
          title={isPublic ? "Make the site private?" : "Make the site public?"}
          action={isPublic ? "Make private" : "Make public"}
          isHarmless={isPublic}
          mutation={change}
          onConfirm={() => void run()}
          onClose={() => setConfirming(false)}
        >
          <p>
            {isPublic
              ? "Reading the configuration will require an API key."
              : "Anyone will be able to read this revision and later ones over HTTP without an API key. Earlier revisions stay private."}
          </p>
        </ConfirmDialog>
      )}
    </>
  );
}
