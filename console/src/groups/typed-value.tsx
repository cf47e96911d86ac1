import { type InputHTMLAttributes, useId, useMemo } from "react";
import { PropertySampleDocument, type PropertySampleQuery } from "../api/generated/operations.js";
import { Choice } from "../parts/choice.js";
import type { ControlProps } from "../parts/field.js";
import { useQuery } from "../session/use-query.js";
import { kindOf, type PropertyTypes, type ValueKind } from "./property-types.js";
import { usePropertyTypes } from "./use-property-types.js";
import { JSON_NUMBER, jsonValue, textOf } from "./value-text.js";

const TYPES: Readonly<Record<ValueKind, string>> = {
  text: "Text",
  number: "Number",
  boolean: "True or false",
  json: "JSON",
};
const BOOLEANS = { true: "true", false: "false" } as const;
const MAX_SUGGESTIONS = 30;

/** A property and the value that was typed for it. */
export interface TypedProperty {
  readonly name: string;
  readonly text: string;
  /** Undefined until it is chosen: then it is the type in the environment's schema, or else the one that the property has in most groups. */
  readonly type?: ValueKind;
}

export const NO_PROPERTY: TypedProperty = { name: "", text: "" };

/** The properties of the environment's schema and of some groups, each with its type there or the one that most of its values have. */
export type PropertySample = ReadonlyMap<
  string,
  {
    readonly type: ValueKind;
    /** Its choices, or else its values in some groups. */
    readonly texts: readonly string[];
    /** Whether most of the groups have a value of this type. */
    readonly isCommon: boolean;
  }
>;

/** Returns the properties of the environment's schema and of its first groups. */
export function usePropertySample(isEnabled = true): PropertySample {
  const { data } = useQuery(PropertySampleDocument, {}, isEnabled);
  const types = usePropertyTypes(isEnabled);
  // Not for each typed letter: the properties may be large.
  return useMemo(() => withTypes(types, sampleOf(data?.userGroups.nodes ?? [])), [types, data]);
}

function withTypes({ byName }: PropertyTypes, sample: PropertySample): PropertySample {
  const typed = [...byName].map(([name, { kind, choices, isRequired }]) => {
    const { texts = [], isCommon = isRequired } = sample.get(name) ?? {};
    return [name, { type: kind, texts: choices?.map(textOf) ?? texts, isCommon }] as const;
  });
  return new Map([...typed, ...[...sample].filter(([name]) => !byName.has(name))]);
}

function sampleOf(groups: PropertySampleQuery["userGroups"]["nodes"]): PropertySample {
  const found = new Map<string, Map<ValueKind, string[]>>();
  for (const { properties } of groups) {
    for (const [name, value] of Object.entries(Object(properties))) {
      const byType = found.get(name) ?? new Map<ValueKind, string[]>();
      found.set(name, byType);
      byType.set(kindOf(value), [...(byType.get(kindOf(value)) ?? []), textOf(value)]);
    }
  }
  return new Map(
    [...found].map(([name, byType]) => {
      const [[type, texts] = ["text", []] as const] = [...byType].toSorted(
        ([, a], [, b]) => b.length - a.length,
      );
      return [name, { type, texts: [...new Set(texts)], isCommon: 2 * texts.length > groups.length }];
    }),
  );
}

/** Returns the type that was chosen, or else that of the property. */
function typeIn(sample: PropertySample, { name, type }: TypedProperty): ValueKind {
  return type ?? sample.get(name)?.type ?? "text";
}

/** Returns the value as JSON text, or why it is none. */
export function toJson(
  sample: PropertySample,
  property: TypedProperty,
): { readonly json: string } | { readonly error: string } {
  const { text } = property;
  const type = typeIn(sample, property);
  if (type === "text") return { json: JSON.stringify(text) };
  if (type === "boolean") return { json: text === "false" ? "false" : "true" };
  if (type === "number") {
    const isNumber = JSON_NUMBER.test(text.trim());
    return isNumber ? { json: text.trim() } : { error: "Type a number, such as 12 or 0.5." };
  }
  const isJson = jsonValue(text) !== undefined;
  return isJson ? { json: text } : { error: "Type JSON, such as [1, 2]. Choose the type Text for a text." };
}

interface TypedValueFieldsProps {
  /** Of a visible label; without one, the value has a hidden name. */
  readonly control?: ControlProps;
  readonly property: TypedProperty;
  readonly sample: PropertySample;
  /** Why the value cannot be used, although it is valid JSON. */
  readonly refuse?: (json: string) => string | undefined;
  readonly onChange: (property: TypedProperty) => void;
}

/** The type and the value of a property. The browser shows why a value is invalid. */
export function TypedValueFields({ control, property, sample, refuse, onChange }: TypedValueFieldsProps) {
  const id = useId();
  const type = typeIn(sample, property);
  const value = toJson(sample, property);
  const error = "error" in value ? value.error : refuse?.(value.json);
  const named = control ?? { "aria-label": "Value" };
  const known = sample.get(property.name);
  const suggestions = known?.type === type && type !== "json" ? known.texts : [];
  return (
    <span className="typed">
      <Choice
        aria-label="Type"
        choices={TYPES}
        value={type}
        onChange={(chosen) =>
          onChange({ ...property, type: chosen, text: chosen === "boolean" ? "true" : property.text })
        }
      />
      {type === "boolean" ? (
        <Choice
          {...named}
          choices={BOOLEANS}
          value={property.text === "false" ? "false" : "true"}
          onChange={(text) => onChange({ ...property, text })}
        />
      ) : (
        <input
          ref={(input) => input?.setCustomValidity(property.text && error ? error : "")}
          {...named}
          value={property.text}
          required
          spellCheck={false}
          autoComplete="off"
          inputMode={type === "number" ? "decimal" : undefined}
          list={id}
          onChange={(event) => onChange({ ...property, text: event.target.value })}
        />
      )}
      <datalist id={id}>
        {suggestions.slice(0, MAX_SUGGESTIONS).map((text) => (
          <option key={text}>{text}</option>
        ))}
      </datalist>
    </span>
  );
}

interface PropertyNameProps extends Omit<InputHTMLAttributes<HTMLInputElement>, "onChange"> {
  readonly sample: PropertySample;
  readonly onChange: (name: string) => void;
}

/** The name of a property, with those of the environment as suggestions. */
export function PropertyName({ sample, onChange, ...attributes }: PropertyNameProps) {
  const list = useId();
  return (
    <>
      <input
        required
        spellCheck={false}
        autoComplete="off"
        list={list}
        {...attributes}
        onChange={(event) => onChange(event.target.value)}
      />
      <datalist id={list}>
        {[...sample.keys()].map((name) => (
          <option key={name}>{name}</option>
        ))}
      </datalist>
    </>
  );
}
