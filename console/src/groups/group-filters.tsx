import { useState } from "react";
import type { UserGroupFilter } from "../api/generated/operations.js";
import { Choice } from "../parts/choice.js";
import { useGoTo, useRoute } from "../routing/navigation.js";
import { hashOf } from "../routing/route.js";
import { DataSourceField } from "./data-source-picker.js";

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
    ...(properties ? { properties: toValue(properties) } : {}),
  };
}

/** Returns the names of the properties that the list shows as columns. */
export function usePropertyColumns(): readonly string[] {
  const { columns = "" } = useRoute().query;
  return [...new Set(columns.split(",").map((name) => name.trim()))].filter(Boolean);
}

/** Returns the JSON value of a text, such as `5` or `true`; another text is a string. */
export function toValue(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
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
        const label = `${name} is ${textOf(value)}`;
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

/** Adds filters and columns to the list. They are in the URL. */
export function FilterForm() {
  const { path, query } = useRoute();
  const goTo = useGoTo();
  const [kind, setKind] = useState<FilterName>("property");
  const [name, setName] = useState("");
  const [value, setValue] = useState("");
  const { columns } = query;

  function add() {
    const entries = { ...Object.fromEntries(entriesOf(query["properties"] ?? "")), [name]: toValue(value) };
    const added = kind === "property" ? { properties: JSON.stringify(entries) } : { [kind]: value };
    goTo(hashOf(path, { ...query, ...added, after: null, before: null, from: null }));
    setName("");
    setValue(kind === "mapping" ? value : "");
  }
  return (
    <details className="list-options">
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
            <input
              aria-label="Property name"
              placeholder="plan"
              value={name}
              required
              onChange={(event) => setName(event.target.value)}
            />
            is
          </>
        )}
        {kind === "source" ? (
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
            aria-label={kind === "property" ? "Value" : FILTERS[kind]}
            placeholder={kind === "property" ? "enterprise" : undefined}
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
          goTo(hashOf(path, { ...query, columns: typeof typed === "string" ? typed : null }));
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
  const value = toValue(text);
  return typeof value === "object" && value !== null ? Object.entries(value) : [];
}

/** Returns the text of a JSON value for people. */
export function textOf(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "–");
}
