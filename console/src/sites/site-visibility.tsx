import { SetSiteVisibilityDocument, type SitePartsFragment } from "../api/generated/operations.js";
import { MutationButton } from "../parts/confirm-dialog.js";

interface SiteVisibilityProps {
  readonly site: SitePartsFragment;
  readonly onUpdate: (site: SitePartsFragment) => void;
}

/** Makes a site public or private. */
export function SiteVisibility({ site: { site, isPublic }, onUpdate }: SiteVisibilityProps) {
  return (
    <MutationButton
      label={isPublic ? "Make private…" : "Make public…"}
      title={isPublic ? "Make the site private?" : "Make the site public?"}
      action={isPublic ? "Make private" : "Make public"}
      isHarmless={isPublic}
      document={SetSiteVisibilityDocument}
      variables={{ site, isPublic: !isPublic }}
      notice={isPublic ? "The site is now private." : "The site is now public."}
      onDone={({ siteConfig }) => siteConfig && onUpdate(siteConfig)}
    >
      <p>
        {isPublic
          ? "Reading the configuration will require an API key."
          : "Anyone will be able to read this revision and later ones over HTTP without an API key. Earlier revisions stay private."}
      </p>
    </MutationButton>
  );
}
