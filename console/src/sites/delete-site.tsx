import { useState } from "react";
import { DeleteSiteDocument, type SitePartsFragment } from "../api/generated/operations.js";
import { ConfirmDialog } from "../parts/confirm-dialog.js";
import { useNotice } from "../parts/notices.js";
import { useGoTo } from "../routing/navigation.js";
import { hashOf } from "../routing/route.js";
import { useMutation } from "../session/use-mutation.js";

/** Deletes a site after its name was typed as confirmation. */
export function DeleteSite({ site: { site, revision } }: { readonly site: SitePartsFragment }) {
  const [isConfirming, setConfirming] = useState(false);
  const remove = useMutation(DeleteSiteDocument);
  const notify = useNotice();
  const goTo = useGoTo();

  async function run() {
    const payload = await remove.run({ site, revision });
    if (!payload?.deletedSiteConfigId) return;
    notify(`${site} was deleted.`);
    goTo(hashOf(["sites"]));
  }
  return (
    <>
      <button type="button" className="danger" onClick={() => setConfirming(true)}>
        Delete…
      </button>
      {isConfirming && (
        <ConfirmDialog
          title={`Delete ${site}?`}
          action="Delete site"
          typed={site}
          mutation={remove}
          onConfirm={() => void run()}
          onClose={() => setConfirming(false)}
        >
          <p>Its file and revisions can no longer be read, unless a site of this name is created again.</p>
        </ConfirmDialog>
      )}
    </>
  );
}
