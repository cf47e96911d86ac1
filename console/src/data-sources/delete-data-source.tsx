import { type DataSourcePartsFragment, DeleteDataSourceDocument } from "../api/generated/operations.js";
import { ConfirmDialog } from "../parts/confirm-dialog.js";
import { useNotice } from "../parts/notices.js";
import { useMutation } from "../session/use-mutation.js";

interface DeleteDataSourceProps {
  readonly dataSource: DataSourcePartsFragment;
  readonly onDeleted: () => void;
  readonly onClose: () => void;
}

/** Deletes a data source that no group uses. */
export function DeleteDataSource({ dataSource: { id, name }, onDeleted, onClose }: DeleteDataSourceProps) {
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
      mutation={remove}
      onConfirm={() => void run()}
      onClose={onClose}
    >
      <p>A data source that a group's mapping uses cannot be deleted. This cannot be undone.</p>
    </ConfirmDialog>
  );
}
