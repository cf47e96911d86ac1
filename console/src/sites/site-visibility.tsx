import { useState } from "react";
import { SetSiteVisibilityDocument, type SitePartsFragment } from "../api/generated/operations.js";
import { MutationDialog } from "../parts/confirm-dialog.js";

interface SiteVisibilityProps {
  readonly site: SitePartsFragment;
  readonly onUpdate: (site: SitePartsFragment) => void;
}

/** Makes a site public or private. */
export function SiteVisibility({ site: { site, isPublic }, onUpdate }: SiteVisibilityProps) {
  const [isConfirming, setConfirming] = useState(false);
  return (
    <>
      <button type="button" onClick={() => setConfirming(true)}>
        {isPublic ? "Make private…" : "Make public…"}
      </button>
      {isConfirming && (
        <MutationDialog
          title={isPublic ? "Make the site private?" : "Make the site public?"}
          action={isPublic ? "Make private" : "Make public"}
          isHarmless={isPublic}
          document={SetSiteVisibilityDocument}
          variables={{ site, isPublic: !isPublic }}
          notice={isPublic ? "The site is now private." : "The site is now public."}
          onDone={({ siteConfig }) => {
            setConfirming(false);
            if (siteConfig) onUpdate(siteConfig);
          }}
          onClose={() => setConfirming(false)}
        >
          <p>
            {isPublic
              ? "Reading the configuration will require an API key."
              : "Anyone will be able to read this revision and later ones over HTTP without an API key. Earlier revisions stay private."}
          </p>
        </MutationDialog>
      )}
    </>
  );
}
