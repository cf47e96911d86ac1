import { useState } from "react";
import { DeleteGroupDocument, type GroupPartsFragment } from "../api/generated/operations.js";
import { ConfirmDialog } from "../parts/confirm-dialog.js";
import { useNotice } from "../parts/notices.js";
import { useGoTo } from "../routing/navigation.js";
import { hashOf } from "../routing/route.js";
import { useMutation } from "../session/use-mutation.js";

/** Deletes a group after its external ID was typed as confirmation. */
export function DeleteGroup({ group: { id, name, providedId } }: { readonly group: GroupPartsFragment }) {
  const [isConfirming, setConfirming] = useState(false);
  const remove = useMutation(DeleteGroupDocument);
  const notify = useNotice();
  const goTo = useGoTo();

  async function run() {
    const payload = await remove.run({ id });
    if (!payload?.deletedUserGroupId) return;
    notify(`${name} was deleted.`);
    goTo(hashOf(["groups"]));
  }
  return (
    <>
      <button type="button" className="danger" onClick={() => setConfirming(true)}>
        Delete…
      </button>
      {isConfirming && (
        <ConfirmDialog
          title={`Delete ${name}?`}
          action="Delete group"
          typed={providedId}
          mutation={remove}
          onConfirm={() => void run()}
          onClose={() => setConfirming(false)}
        >
          <p>Its mapping is deleted and its token stops working. This cannot be undone.</p>
        </ConfirmDialog>
      )}
    </>
  );
}
