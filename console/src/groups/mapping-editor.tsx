import { memo, useCallback, useId, useState } from "react";
import { errorAt, type UserErrors } from "../api/user-errors.js";
import { focusNext } from "../parts/focus.js";
import { DataSourcePicker, DataSourceSuggestions, useDataSourceChoices } from "./data-source-picker.js";
import type { MappingRow } from "./group-draft.js";
import { RowFilter } from "./row-filter.js";

type Rows = readonly MappingRow[];
type EditRows = (edit: (rows: Rows) => Rows) => void;

interface MappingEditorProps {
  readonly rows: Rows;
  readonly errors: UserErrors;
  readonly isReadOnly: boolean;
  /** Keeps its identity, so that rows that are not edited are not rendered again. */
  readonly onEdit: EditRows;
}

export const MappingEditor = memo(function MappingEditor(props: MappingEditorProps) {
  const { rows, errors, isReadOnly, onEdit } = props;
  const list = useId();
  const [typed, setTyped] = useState("");
  const [added, setAdded] = useState<number | null>(null);
  const [edited, setEdited] = useState<number | null>(null);
  const { choices, isComplete } = useDataSourceChoices(typed);
  const listError = errors.find(({ field }) => field?.join() === "mapping")?.message;
  const indexes = new Map(rows.map(({ key }, index) => [key, index]));
  const errorOf = ({ key }: MappingRow, field: string) =>
    errors.length === 0 ? undefined : errorAt(errors, "mapping", String(indexes.get(key)), field);
  const change = useCallback(
    (key: number, changed: Partial<MappingRow>) => {
      onEdit((before) => before.map((row) => (row.key === key ? { ...row, ...changed } : row)));
      setEdited(key);
      if (changed.dataSource !== undefined) setTyped(changed.dataSource);
    },
    [onEdit],
  );
  const remove = useCallback(
    (key: number) => onEdit((before) => before.filter((row) => row.key !== key)),
    [onEdit],
  );
  const add = () => {
    const key = Math.max(-1, ...rows.map((row) => row.key)) + 1;
    onEdit((before) => [...before, { key, schemaId: "", dataSource: "" }]);
    setAdded(key);
    setEdited(key);
  };
  return (
    <fieldset className="mapping">
      <legend>Mapping</legend>
      <p className="fine">The data source that the group's viewers see for each schema of your data model.</p>
      {rows.length === 0 && <p className="empty">No schemas are mapped.</p>}
      <DataSourceSuggestions id={list} choices={isComplete ? [] : choices} />
      <RowFilter
        rows={rows}
        label="Filter schemas"
        textOf={({ schemaId, dataSource }) => `${schemaId} ${dataSource}`}
        isPinned={(row) =>
          row.key === edited || ["schemaId", "dataSource"].some((field) => errorOf(row, field))
        }
      >
        {(shown) => (
          <>
            {shown.length > 0 && (
              <div className="mapping-row fine" aria-hidden="true">
                <b>Schema</b>
                <span />
                <b>Data source</b>
              </div>
            )}
            {shown.map((row) => (
              <MappingFields
                key={row.key}
                row={row}
                number={(indexes.get(row.key) ?? 0) + 1}
                choices={choices}
                isComplete={isComplete}
                list={list}
                schemaError={errorOf(row, "schemaId")}
                sourceError={errorOf(row, "dataSource")}
                isReadOnly={isReadOnly}
                isAdded={row.key === added}
                onChange={change}
                onRemove={remove}
              />
            ))}
          </>
        )}
      </RowFilter>
      {listError && <p className="error">{listError}</p>}
      {!isReadOnly && (
        <button type="button" onClick={add}>
          Add schema
        </button>
      )}
    </fieldset>
  );
});

interface MappingFieldsProps
  extends Pick<ReturnType<typeof useDataSourceChoices>, "choices" | "isComplete">,
    Pick<MappingEditorProps, "isReadOnly"> {
  readonly row: MappingRow;
  /** Position in the mapping; starts at 1. */
  readonly number: number;
  /** ID of the `datalist` with suggestions. */
  readonly list: string;
  readonly schemaError: string | undefined;
  readonly sourceError: string | undefined;
  readonly isAdded: boolean;
  readonly onChange: (key: number, changed: Partial<MappingRow>) => void;
  readonly onRemove: (key: number) => void;
}

const MappingFields = memo(function MappingFields(props: MappingFieldsProps) {
  const { row, number, choices, isComplete, list, schemaError, sourceError, isReadOnly, isAdded } = props;
  const { key, schemaId, dataSource } = row;
  const name = choices.find(({ providedId }) => providedId === dataSource)?.name;
  const described = `${list}-${key}`;
  return (
    <div className="mapping-row">
      <input
        // biome-ignore lint/a11y/noAutofocus: the user has just added this row
        autoFocus={isAdded}
        aria-label={`Schema ${number}`}
        aria-describedby={schemaError && `${described}-schema`}
        aria-invalid={schemaError ? true : undefined}
        placeholder="Schema ID"
        value={schemaId}
        required
        readOnly={isReadOnly}
        spellCheck={false}
        autoComplete="off"
        onChange={(event) => props.onChange(key, { schemaId: event.target.value })}
      />
      {schemaError && (
        <p className="error" id={`${described}-schema`}>
          {schemaError}
        </p>
      )}
      <span aria-hidden="true">→</span>
      <DataSourcePicker
        label={`Data source of schema ${number}`}
        value={dataSource}
        choices={isComplete ? choices : null}
        list={list}
        describedBy={described}
        isInvalid={sourceError !== undefined}
        isReadOnly={isReadOnly}
        onChange={(next) => props.onChange(key, { dataSource: next })}
      />
      {!isReadOnly && (
        <button
          type="button"
          className="quiet"
          aria-label={`Remove schema ${number}`}
          onClick={(event) => {
            focusNext(event.currentTarget.parentElement);
            props.onRemove(key);
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
});
