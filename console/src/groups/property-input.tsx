import { ExactNumber, parseJson } from "../api/exact-json.js";
import { UnfinishedNumber } from "./group-draft.js";
import type { PropertyType } from "./property-types.js";
import { JSON_NUMBER, textOf } from "./value-text.js";

interface PropertyInputProps {
  readonly id: string;
  readonly name: string;
  readonly value: unknown;
  /** What the schema says about it. */
  readonly type: PropertyType | undefined;
  readonly describedBy: string | undefined;
  readonly isReadOnly: boolean;
  /** Called to edit a value that has no field. */
  readonly onEditJson: () => void;
  readonly onChange: (name: string, value: unknown) => void;
}

/** Colors with a picker. */
const COLOR = /^#[0-9a-f]{6}$/i;

/** The types of fields for formats of texts; a value that such a field cannot show has a field for texts. */
const FIELD_TYPES: ReadonlyMap<string | undefined, readonly [type: string, shown: RegExp]> = new Map([
  ["date", ["date", /^(\d{4}-\d\d-\d\d)?$/]],
  ["email", ["email", /^/]],
  ["uri", ["url", /^/]],
]);

/** The field for the value of a property: by its type in the schema, or else by what it is. */
export function PropertyInput(props: PropertyInputProps) {
  const { id, name, value, type, describedBy, isReadOnly, onEditJson, onChange } = props;
  const control = { id, "aria-describedby": describedBy };
  const choices = typeof value === "boolean" ? [true, false] : type?.choices;
  if (choices) {
    const texts = choices.map((choice) => JSON.stringify(choice));
    const current = JSON.stringify(value);
    return (
      <select
        {...control}
        value={current}
        disabled={isReadOnly}
        onChange={(event) => onChange(name, parseJson(event.target.value))}
      >
        {!texts.includes(current) && (
          <option value={current} disabled>
            {textOf(value)} (not a choice)
          </option>
        )}
        {texts.map((text, index) => (
          <option key={text} value={text}>
            {typeof choices[index] === "boolean" ? (choices[index] ? "Yes" : "No") : textOf(choices[index])}
          </option>
        ))}
      </select>
    );
  }
  const isUnfinished = value instanceof UnfinishedNumber;
  if (typeof value === "number" || value instanceof ExactNumber || isUnfinished) {
    return (
      <input
        {...control}
        type="number"
        inputMode="decimal"
        step="any"
        value={String(value)}
        readOnly={isReadOnly}
        aria-invalid={isUnfinished || undefined}
        onChange={({ target: { value: text } }) =>
          onChange(name, JSON_NUMBER.test(text) ? parseJson(text) : UnfinishedNumber.of(text, value))
        }
      />
    );
  }
  if (typeof value === "string") {
    const [field = "text", shown = /^/] = FIELD_TYPES.get(type?.format) ?? [];
    return (
      <div className="text-value">
        <input
          {...control}
          type={shown.test(value) ? field : "text"}
          value={value}
          readOnly={isReadOnly}
          onChange={(event) => onChange(name, event.target.value)}
        />
        {(COLOR.test(value) || type?.format === "color") && (
          <input
            type="color"
            aria-label={`Color of ${name}`}
            value={COLOR.test(value) ? value : "#000000"}
            disabled={isReadOnly}
            onChange={(event) => onChange(name, event.target.value)}
          />
        )}
      </div>
    );
  }
  return (
    <div>
      <input {...control} className="code" value={JSON.stringify(value)} readOnly />
      {!isReadOnly && (
        <button type="button" className="link fine" aria-label={`Edit as JSON: ${name}`} onClick={onEditJson}>
          Edit as JSON
        </button>
      )}
    </div>
  );
}
