import { useState } from "react";
import type { UserGroupFilter } from "../api/generated/operations.js";
import { Choice } from "../parts/choice.js";
import { useGoTo, useRoute } from "../routing/navigation.js";
import { hashOf } from "../routing/route.js";
import { DataSourceField } from "./data-source-picker.js";
import { NO_PROPERTY, PropertyName, TypedValueFields, toJson, usePropertySample } from "./typed-value.js";
import { jsonValue, typedTextOf } from "./value-text.js";

/** The names of the filters, by their parameter in the URL. */
const FILTERS = {
  property: "Property",
  source: "Data source",
  schema: "Schema",
  mapping: "Mapping",
  since: "Changed since",
} as const;

const MAPPINGS = { no: "Without mapping", yes: "With mapping" } as const;

type FilterName = keyof typeof FILTERS;

/** Returns the filter in the URL; undefined if there is none. The service reports invalid values. */
export function useGroupFilter(): UserGroupFilter | undefined {
  const { q, source, schema, mapping, since, properties } = useRoute().query;
  if (!q && !source && !schema && !mapping && !since && !properties) return undefined;
  return {
    ...(q ? { search: q } : {}),
    ...(source ? { dataSource: { providedId: source } } : {}),
    ...(schema ? { schemaId: schema } : {}),
    ...(mapping ? { hasMapping: mapping !== "no" } : {}),
    ...(since ? { updatedAt: { from: `${since}T00:00:00Z` } } : {}),
    // As text, in which numbers may have any size.
    ...(properties ? { properties } : {}),
  };
}

/** As many properties are columns if nobody has chosen any. */
const DEFAULT_COLUMNS = 2;
/** In the URL: no columns. */
const NONE = ",";

/** Returns the names of the properties that the list shows as columns: those in the URL, or else the first that most groups have. */
export function usePropertyColumns(): readonly string[] {
  const { columns } = useRoute().query;
  const sample = usePropertySample(columns === undefined);
  if (columns === undefined)
    return [...sample]
      .filter(([, { type, isCommon }]) => isCommon && type !== "json")
      .slice(0, DEFAULT_COLUMNS)
      .map(([name]) => name);
  return [...new Set(columns.split(",").map((name) => name.trim()))].filter(Boolean);
}

/** The filters of the list as links that remove them. */
export function FilterChips() {
  const { path, query } = useRoute();
  const { properties = "", source, schema, mapping, since } = query;
  const wanted = entriesOf(properties);
  const labels = {
    source: `Data source: ${source}`,
    schema: `Schema: ${schema}`,
    mapping: MAPPINGS[mapping === "no" ? "no" : "yes"],
    since: `Changed since ${since}`,
  };
  return (
    <>
      {wanted.map(([name, value]) => {
        const others = Object.fromEntries(wanted.filter((entry) => entry[0] !== name));
        const rest = wanted.length > 1 ? JSON.stringify(others) : null;
        const label = `${name} is ${typedTextOf(value)}`;
        return <FilterChip key={name} label={label} href={hashOf(path, { ...query, properties: rest })} />;
      })}
      {Object.entries(labels).map(
        ([name, label]) =>
          query[name] && (
            <FilterChip key={name} label={label} href={hashOf(path, { ...query, [name]: null })} />
          ),
      )}
    </>
  );
}

function FilterChip({ label, href }: { readonly label: string; readonly href: string }) {
  return (
    <a className="chip" href={href} aria-label={`Remove the filter ${label}`}>
      {label} <span aria-hidden="true">×</span>
    </a>
  );
}

interface FilterFormProps {
  /** The properties that are columns. */
  readonly columns: readonly string[];
}

/** Adds filters and columns to the list. They are in the URL. */
export function FilterForm(props: FilterFormProps) {
  const { path, query } = useRoute();
  const goTo = useGoTo();
  const [kind, setKind] = useState<FilterName>("property");
  const [property, setProperty] = useState(NO_PROPERTY);
  const [value, setValue] = useState("");
  const [isOpen, setOpen] = useState(false);
  const sample = usePropertySample(isOpen);
  const columns = props.columns.join(", ");

  function add() {
    const added = kind === "property" ? { properties: withProperty() } : { [kind]: value };
    goTo(hashOf(path, { ...query, ...added, after: null, before: null, from: null }));
    setProperty(NO_PROPERTY);
    setValue(kind === "mapping" ? value : "");
  }
  /** Returns the JSON text of the wanted properties and the typed one. */
  function withProperty(): string {
    const others = entriesOf(query["properties"] ?? "").filter(([name]) => name !== property.name);
    const wanted = toJson(sample, property);
    const members = others.map(([name, other]) => `${JSON.stringify(name)}:${JSON.stringify(other)}`);
    if ("json" in wanted) members.push(`${JSON.stringify(property.name)}:${wanted.json}`);
    return `{${members.join()}}`;
  }
  return (
    <details className="list-options" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>Filters and columns</summary>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          add();
        }}
      >
        <Choice
          aria-label="Filter by"
          choices={FILTERS}
          value={kind}
          onChange={(chosen) => {
            setKind(chosen);
            setValue(chosen === "mapping" ? "no" : "");
          }}
        />
        {kind === "property" && (
          <>
            <PropertyName
              aria-label="Property name"
              placeholder="plan"
              sample={sample}
              value={property.name}
              onChange={(name) => setProperty({ name, text: property.text })}
            />
            is
            <TypedValueFields property={property} sample={sample} onChange={setProperty} />
          </>
        )}
        {kind === "property" ? null : kind === "source" ? (
          <DataSourceField label="Data source" value={value} onChange={setValue} />
        ) : kind === "mapping" ? (
          <Choice
            aria-label="Mapping"
            choices={MAPPINGS}
            value={value === "yes" ? "yes" : "no"}
            onChange={setValue}
          />
        ) : (
          <input
            aria-label={FILTERS[kind]}
            type={kind === "since" ? "date" : "text"}
            value={value}
            required
            onChange={(event) => setValue(event.target.value)}
          />
        )}
        <button type="submit">Add filter</button>
      </form>
      <form
        key={columns}
        onSubmit={(event) => {
          event.preventDefault();
          const typed = new FormData(event.currentTarget).get("columns");
          goTo(hashOf(path, { ...query, columns: (typeof typed === "string" && typed) || NONE }));
        }}
      >
        <label>
          Properties as columns{" "}
          <input name="columns" placeholder="plan, region" defaultValue={columns} spellCheck={false} />
        </label>
        <button type="submit">Show columns</button>
      </form>
    </details>
  );
}

/** Returns the members of a JSON object in the URL; none if it is something else. */
function entriesOf(text: string): readonly (readonly [name: string, value: unknown])[] {
  const value = jsonValue(text);
  return typeof value === "object" && value !== null ? Object.entries(value) : [];
}
