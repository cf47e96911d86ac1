import { memo, useCallback, useId, useRef, useState } from "react";
import { errorAt, type UserErrors } from "../api/user-errors.js";
import { Choice } from "../parts/choice.js";
import { focusNext } from "../parts/focus.js";
import type { Properties } from "./group-draft.js";
import { PropertyInput } from "./property-input.js";
import { INITIAL, type PropertyType, type PropertyTypes, similarName } from "./property-types.js";
import { RowFilter } from "./row-filter.js";

interface PropertiesFormProps {
  readonly properties: Properties | null;
  /** What the environment's schema says. */
  readonly types: PropertyTypes;
  /** Of single properties. */
  readonly errors: UserErrors;
  /** The name of a property that has not been added. */
  readonly newProperty: string;
  readonly newPropertyError: string | undefined;
  readonly isReadOnly: boolean;
  readonly onNewProperty: (name: string) => void;
  /** Called to edit values that have no form. */
  readonly onEditJson: () => void;
  /** Keeps its identity, so that rows that are not edited are not rendered again. @param value undefined removes the property */
  readonly onChange: (name: string, value: unknown) => void;
  readonly onAdd: (name: string, value: unknown) => void;
}

/** The kinds of new properties that are in no schema. */
const NEW_KINDS = { text: "Text", number: "Number", boolean: "Yes or no" } as const;

/** Edits the top-level properties. Lists and nested objects are shown as JSON. */
export function PropertiesForm(props: PropertiesFormProps) {
  const { properties, types, errors, newProperty, newPropertyError } = props;
  const { isReadOnly, onNewProperty, onEditJson, onChange } = props;
  const id = useId();
  const { byName } = types;
  const entries = inOrder(Object.entries(properties ?? {}), types);
  const missing = [...byName].filter(
    ([name, { isRequired }]) => isRequired && !entries.some(([each]) => each === name),
  );
  const [edited, setEdited] = useState<string | null>(null);
  const change = useCallback(
    (name: string, value: unknown) => {
      setEdited(name);
      onChange(name, value);
    },
    [onChange],
  );
  return (
    <>
      {entries.length === 0 && missing.length === 0 && <p className="empty">No properties.</p>}
      {missing.map(([name, { title, initial }]) => (
        <div key={name} className="property-row">
          <PropertyLabel name={name} title={title} />
          <span className="fine">Required, and missing.</span>
          {!isReadOnly && (
            <button
              type="button"
              className="quiet"
              aria-label={`Add property ${name}`}
              onClick={() => change(name, initial)}
            >
              Add
            </button>
          )}
        </div>
      ))}
      <RowFilter
        rows={entries}
        label="Filter properties"
        textOf={([name, value]) => `${name} ${JSON.stringify(value)}`}
        isPinned={([name]) => name === edited}
      >
        {(shown) =>
          shown.map(([name, value]) => (
            <PropertyRow
              key={name}
              id={`${id}-${name}`}
              name={name}
              value={value}
              type={byName.get(name)}
              note={noteOn(name, types)}
              error={errorAt(errors, "properties", name)}
              isReadOnly={isReadOnly}
              onEditJson={onEditJson}
              onChange={change}
            />
          ))
        }
      </RowFilter>
      {!isReadOnly && (
        <NewProperty
          names={entries.map(([name]) => name)}
          types={types}
          name={newProperty}
          submitError={newPropertyError}
          onName={onNewProperty}
          onAdd={(value) => {
            setEdited(newProperty);
            props.onAdd(newProperty, value);
          }}
        />
      )}
    </>
  );
}

/** Required properties first, then the others of the schema, then the rest; otherwise as they are stored. */
function inOrder(entries: readonly (readonly [string, unknown])[], { byName }: PropertyTypes) {
  const names = [...byName.keys()];
  const rank = (name: string) => {
    const index = names.indexOf(name);
    if (index < 0) return names.length;
    return byName.get(name)?.isRequired ? index : names.length - 1;
  };
  return entries.toSorted(([one], [other]) => rank(one) - rank(other));
}

/** What to say about the name of a property; undefined if nothing. */
function noteOn(name: string, { byName, isClosed }: PropertyTypes): string | undefined {
  const type = byName.get(name);
  if (type) return type.isDeprecated ? `Deprecated. ${type.description ?? ""}`.trim() : type.description;
  const similar = similarName(name, byName.keys());
  if (similar !== undefined) return `Not in the schema. Did you mean ${similar}?`;
  return isClosed ? "Not in the schema." : undefined;
}

function PropertyLabel(props: {
  readonly id?: string;
  readonly name: string;
  readonly title: string | undefined;
}) {
  const { id, name, title } = props;
  return (
    <label htmlFor={id} className={title === undefined ? "code" : undefined}>
      {title ?? name}
      {title !== undefined && <code className="fine"> {name}</code>}
    </label>
  );
}

interface PropertyRowProps extends Pick<PropertiesFormProps, "isReadOnly" | "onEditJson"> {
  readonly id: string;
  readonly name: string;
  readonly value: unknown;
  readonly type: PropertyType | undefined;
  readonly note: string | undefined;
  readonly error: string | undefined;
  readonly onChange: (name: string, value: unknown) => void;
}

const PropertyRow = memo(function PropertyRow(props: PropertyRowProps) {
  const { id, name, type, note, error, isReadOnly, onChange } = props;
  const text = error ?? note;
  return (
    <div className="property-row">
      <PropertyLabel id={id} name={name} title={type?.title} />
      <PropertyInput {...props} describedBy={text === undefined ? undefined : `${id}-note`} />
      {!isReadOnly && (
        <button
          type="button"
          className="quiet"
          aria-label={`Remove property ${name}`}
          onClick={(event) => {
            focusNext(event.currentTarget.parentElement);
            onChange(name, undefined);
          }}
        >
          Remove
        </button>
      )}
      {text !== undefined && (
        <p
          id={`${id}-note`}
          className={error === undefined ? "fine" : "error"}
          data-invalid={error === undefined ? undefined : true}
        >
          {text}
        </p>
      )}
    </div>
  );
});

interface NewPropertyProps {
  /** Of the properties that there are. */
  readonly names: readonly string[];
  readonly types: PropertyTypes;
  readonly name: string;
  /** Error of an attempt to save the group. */
  readonly submitError: string | undefined;
  readonly onName: (name: string) => void;
  readonly onAdd: (value: unknown) => void;
}

function NewProperty({ names, types, name, submitError, onName, onAdd }: NewPropertyProps) {
  const [kind, setKind] = useState<keyof typeof NEW_KINDS>("text");
  const [isTried, setTried] = useState(false);
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  const known = types.byName.get(name);
  const reason = names.includes(name) ? "This property exists already." : name === "" && "Enter a name.";
  const error = (isTried && reason) || submitError;

  function add() {
    setTried(reason !== false);
    if (reason !== false) return input.current?.focus();
    onAdd(known ? known.initial : INITIAL[kind]);
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
        list={`${id}-names`}
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
      <datalist id={`${id}-names`}>
        {[...types.byName.keys()]
          .filter((each) => !names.includes(each))
          .map((each) => (
            <option key={each}>{each}</option>
          ))}
      </datalist>
      {known ? (
        <span className="fine">{known.title ?? "As in the schema"}</span>
      ) : (
        <Choice aria-label="Type of the new property" choices={NEW_KINDS} value={kind} onChange={setKind} />
      )}
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
