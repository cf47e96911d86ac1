import { useId, useState } from "react";
import { errorAt, type UserErrors } from "../api/user-errors.js";
import { focusNext } from "../parts/focus.js";
import { DataSourcePicker, DataSourceSuggestions, useDataSourceChoices } from "./data-source-picker.js";
import type { MappingRow } from "./group-draft.js";

interface MappingEditorProps {
  readonly rows: readonly MappingRow[];
  readonly errors: UserErrors;
  readonly isReadOnly: boolean;
  readonly onChange: (rows: readonly MappingRow[]) => void;
}

export function MappingEditor({ rows, errors, isReadOnly, onChange }: MappingEditorProps) {
  const list = useId();
  const [typed, setTyped] = useState("");
  const [added, setAdded] = useState<number | null>(null);
  const { choices, isComplete } = useDataSourceChoices(typed);
  const listError = errors.find(({ field }) => field?.join() === "mapping")?.message;
  const change = (key: number, changed: Partial<MappingRow>) =>
    onChange(rows.map((row) => (row.key === key ? { ...row, ...changed } : row)));
  const add = () => {
    const key = Math.max(-1, ...rows.map((row) => row.key)) + 1;
    onChange([...rows, { key, schemaId: "", dataSource: "" }]);
    setAdded(key);
  };
  return (
    <fieldset className="mapping">
      <legend>Mapping</legend>
      <p className="fine">The data source that the group's viewers see for each schema of your data model.</p>
      {rows.length === 0 && <p className="empty">No schemas are mapped.</p>}
      <DataSourceSuggestions id={list} choices={isComplete ? [] : choices} />
      {rows.length > 0 && (
        <div className="mapping-row fine" aria-hidden="true">
          <b>Schema</b>
          <span />
          <b>Data source</b>
        </div>
      )}
      {rows.map(({ key, schemaId, dataSource }, index) => {
        const schemaError = errorAt(errors, "mapping", String(index), "schemaId");
        const sourceError = errorAt(errors, "mapping", String(index), "dataSource");
        const name = choices.find(({ providedId }) => providedId === dataSource)?.name;
        const described = `${list}-${key}`;
        return (
          <div className="mapping-row" key={key}>
            <input
              // biome-ignore lint/a11y/noAutofocus: the user has just added this row
              autoFocus={key === added}
              aria-label={`Schema ${index + 1}`}
              aria-describedby={schemaError && `${described}-schema`}
              aria-invalid={schemaError ? true : undefined}
              placeholder="Schema ID"
              value={schemaId}
              required
              readOnly={isReadOnly}
              spellCheck={false}
              autoComplete="off"
              onChange={(event) => change(key, { schemaId: event.target.value })}
            />
            {schemaError && (
              <p className="error" id={`${described}-schema`}>
                {schemaError}
              </p>
            )}
            <span aria-hidden="true">→</span>
            <DataSourcePicker
              label={`Data source of schema ${index + 1}`}
              value={dataSource}
              choices={isComplete ? choices : null}
              list={list}
              describedBy={described}
              isInvalid={sourceError !== undefined}
              isReadOnly={isReadOnly}
              onChange={(next) => {
                change(key, { dataSource: next });
                setTyped(next);
              }}
            />
            {!isReadOnly && (
              <button
                type="button"
                className="quiet"
                aria-label={`Remove schema ${index + 1}`}
                onClick={(event) => {
                  focusNext(event.currentTarget.parentElement);
                  onChange(rows.filter((row) => row.key !== key));
                }}
              >
                Remove
              </button>
            )}
            <p className={sourceError ? "error source" : "fine source"} id={described}>
              {sourceError ?? (isComplete ? undefined : name)}
            </p>
          </div>
        );
      })}
      {listError && <p className="error">{listError}</p>}
      {!isReadOnly && (
        <button type="button" onClick={add}>
          Add schema
        </button>
      )}
    </fieldset>
  );
}
