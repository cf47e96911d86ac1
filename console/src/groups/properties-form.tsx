import { useId, useRef, useState } from "react";
import { focusNext } from "../parts/focus.js";

type Properties = Readonly<Record<string, unknown>>;

interface PropertiesFormProps {
  readonly properties: Properties | null;
  /** The name of a property that has not been added. */
  readonly newProperty: string;
  readonly newPropertyError: string | undefined;
  readonly isReadOnly: boolean;
  readonly onNewProperty: (name: string) => void;
  /** @param isAdded whether the new property was added */
  readonly onChange: (properties: Properties | null, isAdded?: boolean) => void;
}

/** The initial values of new properties, by type. */
const INITIAL: Readonly<Record<string, unknown>> = { Text: "", Number: 0, "Yes or no": false };

/** Edits the top-level properties. Lists and nested objects are shown as JSON. */
export function PropertiesForm({
  properties,
  newProperty,
  newPropertyError,
  isReadOnly,
  onNewProperty,
  onChange,
}: PropertiesFormProps) {
  const id = useId();
  const entries = Object.entries(properties ?? {});
  return (
    <>
      {entries.length === 0 && <p className="empty">No properties.</p>}
      {entries.map(([name, value]) => (
        <div className="property-row" key={name}>
          <label htmlFor={`${id}-${name}`} className="code">
            {name}
          </label>
          <PropertyInput
            id={`${id}-${name}`}
            value={value}
            isReadOnly={isReadOnly}
            onChange={(next) => onChange({ ...properties, [name]: next })}
          />
          {!isReadOnly && (
            <button
              type="button"
              className="quiet"
              aria-label={`Remove property ${name}`}
              onClick={(event) => {
                focusNext(event.currentTarget.parentElement);
                const rest = Object.fromEntries(entries.filter(([other]) => other !== name));
                onChange(Object.keys(rest).length === 0 ? null : rest);
              }}
            >
              Remove
            </button>
          )}
        </div>
      ))}
      {!isReadOnly && (
        <NewProperty
          names={entries.map(([name]) => name)}
          name={newProperty}
          submitError={newPropertyError}
          onName={onNewProperty}
          onAdd={(value) => onChange({ ...properties, [newProperty]: value }, true)}
        />
      )}
    </>
  );
}

interface PropertyInputProps {
  readonly id: string;
  readonly value: unknown;
  readonly isReadOnly: boolean;
  readonly onChange: (value: unknown) => void;
}

function PropertyInput({ id, value, isReadOnly, onChange }: PropertyInputProps) {
  if (typeof value === "boolean") {
    return (
      <select
        id={id}
        value={String(value)}
        disabled={isReadOnly}
        onChange={(event) => onChange(event.target.value === "true")}
      >
        <option value="true">Yes</option>
        <option value="false">No</option>
      </select>
    );
  }
  if (typeof value === "number") {
    return (
      <input
        id={id}
        type="number"
        step="any"
        value={value}
        readOnly={isReadOnly}
        onChange={(event) => {
          if (!Number.isNaN(event.target.valueAsNumber)) onChange(event.target.valueAsNumber);
        }}
      />
    );
  }
  if (typeof value === "string") {
    return (
      <input id={id} value={value} readOnly={isReadOnly} onChange={(event) => onChange(event.target.value)} />
    );
  }
  return (
    <div>
      <input
        id={id}
        className="code"
        value={JSON.stringify(value)}
        readOnly
        aria-describedby={`${id}-hint`}
      />
      <p className="fine" id={`${id}-hint`}>
        Edit this value as JSON.
      </p>
    </div>
  );
}

interface NewPropertyProps {
  readonly names: readonly string[];
  readonly name: string;
  /** Error of an attempt to save the group. */
  readonly submitError: string | undefined;
  readonly onName: (name: string) => void;
  readonly onAdd: (value: unknown) => void;
}

function NewProperty({ names, name, submitError, onName, onAdd }: NewPropertyProps) {
  const [type, setType] = useState("Text");
  const [isTried, setTried] = useState(false);
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  const reason = names.includes(name) ? "This property exists already." : name === "" && "Enter a name.";
  const error = (isTried && reason) || submitError;

  function add() {
    setTried(reason !== false);
    if (reason !== false) return input.current?.focus();
    onAdd(INITIAL[type]);
  }
  return (
    <div className="property-row">
      <input
        ref={input}
        aria-label="New property"
        placeholder="New property"
        value={name}
        autoComplete="off"
        spellCheck={false}
        aria-invalid={error ? true : undefined}
        aria-describedby={error ? id : undefined}
        onChange={(event) => onName(event.target.value)}
        onKeyDown={(event) => {
          if (event.key !== "Enter" || name === "") return;
          // Otherwise Enter saves the group.
          event.preventDefault();
          add();
        }}
      />
      <select
        aria-label="Type of the new property"
        value={type}
        onChange={(event) => setType(event.target.value)}
      >
        {Object.keys(INITIAL).map((each) => (
          <option key={each}>{each}</option>
        ))}
      </select>
      <button type="button" onClick={add}>
        Add
      </button>
      {error && (
        <p className="error" id={id}>
          {error}
        </p>
      )}
    </div>
  );
}
