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
const PARAMETERS = ["action", "actor", "subject", "request", "from", "to"];

export function AuditSearch() {
  const { path, query } = useRoute();
  const goTo = useGoTo();
  const isFiltered = PARAMETERS.some((name) => query[name]);
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
        <label>
          Subject
          <input name="subject" defaultValue={query["subject"]} placeholder="e.g. acme" autoComplete="off" />
        </label>
        <label>
          Actor
          <input name="actor" defaultValue={query["actor"]} placeholder="e.g. CRM" autoComplete="off" />
        </label>
        <label>
          Request ID
          <input name="request" defaultValue={query["request"]} autoComplete="off" />
        </label>
        <label>
          From
          <input name="from" type="date" defaultValue={query["from"]} />
        </label>
        <label>
          To
          <input name="to" type="date" defaultValue={query["to"]} />
        </label>
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
