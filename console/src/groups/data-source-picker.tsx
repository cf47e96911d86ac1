import { useEffect, useId, useState } from "react";
import { DataSourceChoicesDocument } from "../api/generated/operations.js";
import { useQuery } from "../session/use-query.js";

const TYPING_MS = 250;
const NONE: readonly DataSourceChoice[] = [];

interface DataSourceChoice {
  readonly providedId: string;
  readonly name: string;
}

interface DataSourcePickerProps {
  readonly label: string;
  /** External ID, or empty. */
  readonly value: string;
  /** All data sources; null if there are too many for a menu. */
  readonly choices: readonly DataSourceChoice[] | null;
  /** ID of the `datalist` with suggestions, for too many data sources. */
  readonly list: string;
  readonly describedBy?: string;
  readonly isInvalid?: boolean;
  readonly isReadOnly?: boolean;
  readonly onChange: (providedId: string) => void;
}

/** Chooses a data source from a menu, or from suggestions if there are more than a hundred. */
export function DataSourcePicker(props: DataSourcePickerProps) {
  const { label, value, choices, list, describedBy, isInvalid, isReadOnly, onChange } = props;
  const control = {
    "aria-label": label,
    "aria-describedby": describedBy,
    "aria-invalid": isInvalid || undefined,
    value,
    required: true,
  };
  if (!choices) {
    return (
      <input
        {...control}
        placeholder="Data source ID"
        list={list}
        readOnly={isReadOnly}
        spellCheck={false}
        autoComplete="off"
        onChange={(event) => onChange(event.target.value)}
      />
    );
  }
  const isKnown = value === "" || choices.some(({ providedId }) => providedId === value);
  return (
    <select {...control} disabled={isReadOnly} onChange={(event) => onChange(event.target.value)}>
      <option value="">Choose a data source…</option>
      {!isKnown && <option value={value}>{value}</option>}
      {choices.map(({ providedId, name }) => (
        <option key={providedId} value={providedId}>
          {name} ({providedId})
        </option>
      ))}
    </select>
  );
}

/** Chooses a data source, with choices of its own. */
export function DataSourceField(props: Pick<DataSourcePickerProps, "label" | "value" | "onChange">) {
  const list = useId();
  const { choices, isComplete } = useDataSourceChoices(props.value);
  return (
    <>
      <DataSourceSuggestions id={list} choices={isComplete ? [] : choices} />
      <DataSourcePicker {...props} choices={isComplete ? choices : null} list={list} />
    </>
  );
}

interface DataSourceSuggestionsProps {
  readonly id: string;
  readonly choices: readonly DataSourceChoice[];
}

export function DataSourceSuggestions({ id, choices }: DataSourceSuggestionsProps) {
  return (
    <datalist id={id}>
      {choices.map(({ providedId, name }) => (
        <option key={providedId} value={providedId}>
          {name}
        </option>
      ))}
    </datalist>
  );
}

/** Returns data sources to choose from: all, or if there are more than a hundred, those whose name contains the typed text. */
export function useDataSourceChoices(typed: string) {
  const [nameContains, setNameContains] = useState("");
  const { data } = useQuery(DataSourceChoicesDocument, nameContains ? { filter: { nameContains } } : {});
  const isComplete = nameContains === "" && data?.dataSources.pageInfo.hasNextPage === false;
  useEffect(() => {
    if (isComplete) return;
    const timer = setTimeout(() => setNameContains(typed), TYPING_MS);
    return () => clearTimeout(timer);
  }, [typed, isComplete]);
  return { choices: data?.dataSources.nodes ?? NONE, isComplete };
}
