interface DataSourcePickerProps {
  readonly label: string;
  /** External ID, or empty. */
  readonly value: string;
  /** All data sources; null if there are too many for a menu. */
  readonly choices: readonly { readonly providedId: string; readonly name: string }[] | null;
  /** ID of the `datalist` with suggestions, for too many data sources. */
  readonly list: string;
  readonly describedBy: string;
  readonly isInvalid: boolean;
  readonly isReadOnly: boolean;
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
