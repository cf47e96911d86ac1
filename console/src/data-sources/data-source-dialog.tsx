import { useState } from "react";
import {
  CreateDataSourceDocument,
  type DataSourcePartsFragment,
  UpdateDataSourceDocument,
} from "../api/generated/operations.js";
import { errorAt, otherErrors } from "../api/user-errors.js";
import { Dialog } from "../parts/dialog.js";
import { Field } from "../parts/field.js";
import { Form } from "../parts/form.js";
import { useNotice } from "../parts/notices.js";
import { Problem } from "../parts/problem.js";
import { useMutation } from "../session/use-mutation.js";

interface DataSourceDialogProps {
  /** The data source to edit; null to create one. */
  readonly dataSource: DataSourcePartsFragment | null;
  readonly onSaved: () => void;
  readonly onClose: () => void;
}

/** Creates or edits a data source. */
export function DataSourceDialog({ dataSource, onSaved, onClose }: DataSourceDialogProps) {
  const [providedId, setProvidedId] = useState(dataSource?.providedId ?? "");
  const [name, setName] = useState(dataSource?.name ?? "");
  const create = useMutation(CreateDataSourceDocument);
  const update = useMutation(UpdateDataSourceDocument);
  const { errors, failure, isBusy } = dataSource ? update : create;
  const notify = useNotice();

  async function save() {
    const input = { providedId, name };
    const payload = dataSource
      ? await update.run({ input: { by: { id: dataSource.id }, ...input } })
      : await create.run({ input });
    if (!payload?.dataSource) return;
    notify(`${payload.dataSource.name} was ${dataSource ? "saved" : "created"}.`);
    onSaved();
    onClose();
  }
  return (
    <Dialog title={dataSource ? `Edit ${dataSource.name}` : "New data source"} onClose={onClose}>
      <Form errors={errors} onSubmit={() => void save()}>
        <Field label="Name" error={errorAt(errors, "name")}>
          {(control) => (
            <input
              {...control}
              required
              autoComplete="off"
              value={name}
              onChange={(event) => setName(event.target.value)}
            />
          )}
        </Field>
        <Field
          label="External ID"
          hint="Used in mappings and API calls. Your own data service finds the database by it."
          error={errorAt(errors, "providedId")}
        >
          {(control) => (
            <input
              {...control}
              required
              autoComplete="off"
              spellCheck={false}
              value={providedId}
              onChange={(event) => setProvidedId(event.target.value)}
            />
          )}
        </Field>
        <Problem failure={failure} errors={otherErrors(errors, ["providedId", "name"])} />
        <div className="actions end">
          <button type="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" className="primary" aria-disabled={isBusy}>
            {dataSource ? "Save" : "Create data source"}
          </button>
        </div>
      </Form>
    </Dialog>
  );
}
