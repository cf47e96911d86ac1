import { DeleteGroupDocument, type GroupPartsFragment } from "../api/generated/operations.js";
import { MutationButton } from "../parts/confirm-dialog.js";
import { useGoTo } from "../routing/navigation.js";
import { hashOf } from "../routing/route.js";

/** Deletes a group after its external ID was typed as confirmation. */
export function DeleteGroup({ group: { id, name, providedId } }: { readonly group: GroupPartsFragment }) {
  const goTo = useGoTo();
  return (
    <MutationButton
      label="Delete…"
      title={`Delete ${name}?`}
      action="Delete group"
      typed={providedId}
      document={DeleteGroupDocument}
      variables={{ id }}
      notice={`${name} was deleted.`}
      onDone={() => goTo(hashOf(["groups"]))}
    >
      <p>Its mapping is deleted and its token stops working. This cannot be undone.</p>
    </MutationButton>
  );
}
