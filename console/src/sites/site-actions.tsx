import {
  DeleteSiteDocument,
  SetSiteVisibilityDocument,
  type SitePartsFragment,
} from "../api/generated/operations.js";
import { MutationButton } from "../parts/confirm-dialog.js";
import { useGoTo } from "../routing/navigation.js";
import { hashOf } from "../routing/route.js";

export interface SiteProps {
  readonly site: SitePartsFragment;
  /** Called with a newer version of the site. */
  readonly onUpdate: (site: SitePartsFragment) => void;
}

/** Makes a site public or private, or deletes it after its name was typed as confirmation. */
export function SiteActions({ site: { site, isPublic, revision }, onUpdate }: SiteProps) {
  const goTo = useGoTo();
  return (
    <>
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
      <MutationButton
        label="Delete…"
        title={`Delete ${site}?`}
        action="Delete site"
        typed={site}
        document={DeleteSiteDocument}
        variables={{ site, revision }}
        notice={`${site} was deleted.`}
        onDone={() => goTo(hashOf(["sites"]))}
      >
        <p>Its file and revisions can no longer be read, unless a site of this name is created again.</p>
      </MutationButton>
    </>
  );
}
