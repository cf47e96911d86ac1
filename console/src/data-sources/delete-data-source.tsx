import {
  type DataSourcePartsFragment,
  DeleteDataSourceDocument,
  GroupCountDocument,
} from "../api/generated/operations.js";
import { ConfirmDialog } from "../parts/confirm-dialog.js";
import { useNotice } from "../parts/notices.js";
import { plural } from "../parts/plural.js";
import { hashOf } from "../routing/route.js";
import { useMutation } from "../session/use-mutation.js";
import { useQuery } from "../session/use-query.js";

interface DeleteDataSourceProps {
  readonly dataSource: DataSourcePartsFragment;
  readonly onDeleted: () => void;
  readonly onClose: () => void;
}

/** Deletes a data source that no group uses. */
export function DeleteDataSource({ dataSource, onDeleted, onClose }: DeleteDataSourceProps) {
  const { id, name, providedId } = dataSource;
  const { data } = useQuery(GroupCountDocument, { filter: { dataSource: { providedId } } });
  const users = data?.userGroups.totalCount ?? 0;
  const remove = useMutation(DeleteDataSourceDocument);
  const notify = useNotice();

  async function run() {
    const payload = await remove.run({ id });
    if (!payload?.deletedDataSourceId) return;
    notify(`${name} was deleted.`);
    onDeleted();
    onClose();
  }
  return (
    <ConfirmDialog
      title={`Delete ${name}?`}
      action="Delete"
      isDisabled={users > 0}
      mutation={remove}
      onConfirm={() => void run()}
      onClose={onClose}
    >
      {users > 0 ? (
        <p>
          The mappings of <a href={hashOf(["groups"], { source: providedId })}>{plural(users, "group")}</a>{" "}
          use it. Remove it from them first.
        </p>
      ) : (
        <p>A data source that a group's mapping uses cannot be deleted. This cannot be undone.</p>
      )}
    </ConfirmDialog>
  );
}
