import { DeleteSiteDocument, type SitePartsFragment } from "../api/generated/operations.js";
import { MutationButton } from "../parts/confirm-dialog.js";
import { useGoTo } from "../routing/navigation.js";
import { hashOf } from "../routing/route.js";

/** Deletes a site after its name was typed as confirmation. */
export function DeleteSite({ site: { site, revision } }: { readonly site: SitePartsFragment }) {
  const goTo = useGoTo();
  return (
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
  );
}
