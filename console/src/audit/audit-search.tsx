import { ACTIONS } from "../parts/audit-actions.js";
import { useGoTo, useRoute } from "../routing/navigation.js";
import { hashOf } from "../routing/route.js";
import { daysAgo } from "./filter.js";

/** Ranges that end today, by the number of days before today. */
const RANGES = [
  ["Today", 0],
  ["Last 7 days", 6],
  ["Last 30 days", 29],
] as const;
const FIELDS = [
  { name: "subject", label: "Subject", placeholder: "e.g. acme" },
  { name: "actor", label: "Actor", placeholder: "e.g. CRM" },
  { name: "request", label: "Request ID" },
  { name: "bulk", label: "Bulk change" },
  { name: "from", label: "From", type: "date" },
  { name: "to", label: "To", type: "date" },
];

export function AuditSearch() {
  const { path, query } = useRoute();
  const goTo = useGoTo();
  const isFiltered = ["action", ...FIELDS.map(({ name }) => name)].some((name) => query[name]);
  return (
    <search>
      <form
        key={JSON.stringify(query)}
        className="search audit-search"
        onSubmit={(event) => {
          event.preventDefault();
          const fields = new FormData(event.currentTarget);
          const entries = [...fields].map(([name, value]) => [name, typeof value === "string" ? value : ""]);
          goTo(hashOf(path, Object.fromEntries(entries)));
        }}
      >
        <label>
          Action
          <select name="action" defaultValue={query["action"] ?? ""}>
            <option value="">All actions</option>
            {Object.entries(ACTIONS).map(([action, label]) => (
              <option key={action} value={action}>
                {label}
              </option>
            ))}
          </select>
        </label>
        {FIELDS.map(({ label, ...field }) => (
          <label key={label}>
            {label}
            <input {...field} defaultValue={query[field.name]} autoComplete="off" />
          </label>
        ))}
        <button type="submit">Filter</button>
      </form>
      <p className="filters">
        {RANGES.map(([label, days]) => {
          const from = daysAgo(days);
          return (
            <a
              key={label}
              href={hashOf(path, { ...query, from, to: null, after: null, before: null })}
              aria-current={query["from"] === from && !query["to"] ? "true" : undefined}
            >
              {label}
            </a>
          );
        })}
        {isFiltered && <a href={hashOf(path)}>Clear filter</a>}
      </p>
    </search>
  );
}
