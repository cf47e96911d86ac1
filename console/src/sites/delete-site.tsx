import { useState } from "react";
import { DeleteSiteDocument, type SitePartsFragment } from "../api/generated/operations.js";
import { MutationDialog } from "../parts/confirm-dialog.js";
import { useGoTo } from "../routing/navigation.js";
import { hashOf } from "../routing/route.js";

/** Deletes a site after its name was typed as confirmation. */
export function DeleteSite({ site: { site, revision } }: { readonly site: SitePartsFragment }) {
  const [isConfirming, setConfirming] = useState(false);
  const goTo = useGoTo();
  return (
    <>
      <button type="button" className="danger" onClick={() => setConfirming(true)}>
        Delete…
      </button>
      {isConfirming && (
        <MutationDialog
          title={`Delete ${site}?`}
          action="Delete site"
          typed={site}
          document={DeleteSiteDocument}
          variables={{ site, revision }}
          notice={`${site} was deleted.`}
          onDone={() => goTo(hashOf(["sites"]))}
          onClose={() => setConfirming(false)}
        >
          <p>Its file and revisions can no longer be read, unless a site of this name is created again.</p>
        </MutationDialog>
      )}
    </>
  );
}
