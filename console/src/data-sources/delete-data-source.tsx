import { useState } from "react";
import { type DataSourcePartsFragment, DeleteDataSourceDocument } from "../api/generated/operations.js";
import type { UserErrors } from "../api/user-errors.js";
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
  const [errors, setErrors] = useState<UserErrors>([]);
  const remove = useMutation(DeleteDataSourceDocument);
  const notify = useNotice();

  async function run() {
    const result = await remove.run({ id });
    if (!result) return;
    const { deletedDataSourceId, userErrors } = result.deleteDataSource;
    setErrors(userErrors);
    if (deletedDataSourceId === null) return;
    notify(`${name} was deleted.`);
    onDeleted();
    onClose();
  }
  return (
    <ConfirmDialog
      title={`Delete ${name}?`}
      action="Delete"
      isBusy={remove.isBusy}
      failure={remove.failure}
      errors={errors}
      onConfirm={() => void run()}
      onClose={onClose}
    >
      <p>A data source that a group's mapping uses cannot be deleted. This cannot be undone.</p>
    </ConfirmDialog>
  );
}
