import { toFailure } from "../api/failure.js";
import { type GroupPartsFragment, RestoreGroupDocument } from "../api/generated/operations.js";
import { useNotice } from "../parts/notices.js";
import { useSession } from "../session/session.js";

/**
 * Returns a function that shows a notice about a change of a group, with a button that undoes it. There is none if nothing changed, or if
 * the service keeps no former values.
 * @param onUpdate called with the restored group
 */
export function useUndoNotice(onUpdate: (group: GroupPartsFragment) => void) {
  const { client, viewer } = useSession();
  const notify = useNotice();

  async function undo({ id, version }: GroupPartsFragment) {
    try {
      const input = { by: { id }, version: version - 1, expectedVersion: version };
      const { restoreUserGroup } = await client.call(RestoreGroupDocument, { input });
      const { userGroup, userErrors } = restoreUserGroup;
      if (userGroup) onUpdate(userGroup);
      notify(
        userErrors[0] ? `The change was not undone: ${userErrors[0].message}` : "The change was undone.",
      );
    } catch (error) {
      notify(`The change was not undone: ${toFailure(error).message}`);
    }
  }
  return (text: string, before: GroupPartsFragment, after: GroupPartsFragment) => {
    const canUndo = viewer.userGroupHistoryDays > 0 && after.version === before.version + 1;
    notify(text, canUndo ? { label: "Undo", run: () => void undo(after) } : undefined);
  };
}
