import { useState } from "react";
import { CreateDataSourceDocument } from "../api/generated/operations.js";
import { errorAt, otherErrors, type UserErrors } from "../api/user-errors.js";
import { Dialog } from "../parts/dialog.js";
import { Field } from "../parts/field.js";
import { useNotice } from "../parts/notices.js";
import { Problem } from "../parts/problem.js";
import { useFocusOnError } from "../parts/use-focus-on-error.js";
import { useMutation } from "../session/use-mutation.js";

interface NewDataSourceProps {
  readonly onCreated: () => void;
  readonly onClose: () => void;
}

export function NewDataSource({ onCreated, onClose }: NewDataSourceProps) {
  const [providedId, setProvidedId] = useState("");
  const [name, setName] = useState("");
  const [errors, setErrors] = useState<UserErrors>([]);
  const create = useMutation(CreateDataSourceDocument);
  const notify = useNotice();
  const form = useFocusOnError(errors.length > 0 && errors);

  async function save() {
    const result = await create.run({ input: { providedId, name } });
    if (!result) return;
    const { dataSource, userErrors } = result.createDataSource;
    setErrors(userErrors);
    if (!dataSource) return;
    notify(`${dataSource.name} was created.`);
    onCreated();
    onClose();
  }
  return (
    <Dialog title="New data source" onClose={onClose}>
      <form
        ref={form}
        onSubmit={(event) => {
          event.preventDefault();
          void save();
        }}
      >
        <Field label="External ID" error={errorAt(errors, "providedId")}>
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
        <Problem failure={create.failure} errors={otherErrors(errors, ["providedId", "name"])} />
        <div className="actions end">
          <button type="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" className="primary" disabled={create.isBusy}>
            Create data source
          </button>
        </div>
      </form>
    </Dialog>
  );
}
