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
  /** Called to edit values that have no form. */
  readonly onEditJson: () => void;
  /** @param isAdded whether the new property was added */
  readonly onChange: (properties: Properties | null, isAdded?: boolean) => void;
}

/** Colors with a picker. */
const COLOR = /^#[0-9a-f]{6}$/i;

/** The initial values of new properties, by type. */
const INITIAL: Readonly<Record<string, unknown>> = { Text: "", Number: 0, "Yes or no": false };

/** Edits the top-level properties. Lists and nested objects are shown as JSON. */
export function PropertiesForm(props: PropertiesFormProps) {
  const { properties, newProperty, newPropertyError, isReadOnly, onNewProperty, onEditJson, onChange } =
    props;
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
            name={name}
            value={value}
            isReadOnly={isReadOnly}
            onEditJson={onEditJson}
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

interface PropertyInputProps extends Pick<PropertiesFormProps, "isReadOnly" | "onEditJson"> {
  readonly id: string;
  readonly name: string;
  readonly value: unknown;
  readonly onChange: (value: unknown) => void;
}

function PropertyInput({ id, name, value, isReadOnly, onEditJson, onChange }: PropertyInputProps) {
  // The typed text while it is no number, until the field loses the focus.
  const [incomplete, setIncomplete] = useState<string | null>(null);
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
        inputMode="decimal"
        step="any"
        value={incomplete ?? value}
        readOnly={isReadOnly}
        onBlur={() => setIncomplete(null)}
        onChange={({ target }) => {
          const isNumber = !Number.isNaN(target.valueAsNumber);
          setIncomplete(isNumber ? null : target.value);
          if (isNumber) onChange(target.valueAsNumber);
        }}
      />
    );
  }
  if (typeof value === "string") {
    return (
      <div className="text-value">
        <input
          id={id}
          value={value}
          readOnly={isReadOnly}
          onChange={(event) => onChange(event.target.value)}
        />
        {COLOR.test(value) && (
          <input
            type="color"
            aria-label={`Color of ${name}`}
            value={value}
            disabled={isReadOnly}
            onChange={(event) => onChange(event.target.value)}
          />
        )}
      </div>
    );
  }
  return (
    <div>
      <input id={id} className="code" value={JSON.stringify(value)} readOnly />
      {!isReadOnly && (
        <button type="button" className="link fine" aria-label={`Edit ${name} as JSON`} onClick={onEditJson}>
          Edit as JSON
        </button>
      )}
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
