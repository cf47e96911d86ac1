import { useState } from "react";
import {
  CreateDataSourceDocument,
  type DataSourcePartsFragment,
  UpdateDataSourceDocument,
} from "../api/generated/operations.js";
import { errorAt, isConflict } from "../api/user-errors.js";
import { TextField } from "../parts/field.js";
import { FormDialog } from "../parts/form-dialog.js";
import { useNotice } from "../parts/notices.js";
import { useMutation } from "../session/use-mutation.js";

interface DataSourceDialogProps {
  /** The data source to edit; null to create one. */
  readonly dataSource: DataSourcePartsFragment | null;
  /** Called when it was saved, here or by someone else. */
  readonly onChange: () => void;
  readonly onClose: () => void;
}

export function DataSourceDialog({ dataSource, onChange, onClose }: DataSourceDialogProps) {
  const [providedId, setProvidedId] = useState(dataSource?.providedId ?? "");
  const [name, setName] = useState(dataSource?.name ?? "");
  const create = useMutation(CreateDataSourceDocument);
  const update = useMutation(UpdateDataSourceDocument);
  const mutation = dataSource ? update : create;
  const notify = useNotice();

  async function save() {
    const input = { providedId, name };
    const payload = dataSource
      ? await update.run({
          input: { by: { id: dataSource.id }, expectedVersion: dataSource.version, ...input },
        })
      : await create.run({ input });
    if (payload && isConflict(payload.userErrors)) onChange();
    if (!payload?.dataSource) return;
    notify(`${payload.dataSource.name} was ${dataSource ? "saved" : "created"}.`);
    onChange();
    onClose();
  }
  return (
    <FormDialog
      title={dataSource ? `Edit ${dataSource.name}` : "New data source"}
      action={dataSource ? "Save" : "Create data source"}
      mutation={mutation}
      fields={["providedId", "name"]}
      onSubmit={() => void save()}
      onClose={onClose}
    >
      <TextField label="Name" error={errorAt(mutation.errors, "name")} value={name} onChange={setName} />
      <TextField
        label="External ID"
        hint="Used in mappings and API calls. Your own data service finds the database by it."
        error={errorAt(mutation.errors, "providedId")}
        spellCheck={false}
        value={providedId}
        onChange={setProvidedId}
      />
    </FormDialog>
  );
}
