import { useState } from "react";
import type { UserGroupFilter, UserGroupOrder } from "../api/generated/operations.js";
import { useGoTo, useRoute } from "../routing/navigation.js";
import { hashOf } from "../routing/route.js";

/** Search fields and their filters. */
const SEARCHES = {
  name: { label: "Name contains", filter: (nameContains: string): UserGroupFilter => ({ nameContains }) },
  id: { label: "External ID is", filter: (id: string): UserGroupFilter => ({ providedIds: [id] }) },
  source: {
    label: "Data source ID is",
    filter: (providedId: string): UserGroupFilter => ({ dataSource: { providedId } }),
  },
  schema: { label: "Schema ID is", filter: (schemaId: string): UserGroupFilter => ({ schemaId }) },
} as const;

const ORDERS = {
  created: { label: "Oldest first", order: { field: "TEAM_ID", direction: "ASC" } },
  newest: { label: "Newest first", order: { field: "TEAM_ID", direction: "DESC" } },
  name: { label: "Name", order: { field: "NAME", direction: "ASC" } },
  id: { label: "External ID", order: { field: "PROVIDED_ID", direction: "ASC" } },
  changed: { label: "Last changed", order: { field: "UPDATED_AT", direction: "DESC" } },
} as const satisfies Record<string, { label: string; order: UserGroupOrder }>;

/** Returns list variables for the search in the URL. */
export function useGroupSearch(): { filter?: UserGroupFilter; orderBy?: UserGroupOrder } {
  const { by = "name", q, order } = useRoute().query;
  const search = entryOf(SEARCHES, by);
  const sort = entryOf(ORDERS, order);
  return { ...(q && search ? { filter: search.filter(q) } : {}), ...(sort ? { orderBy: sort.order } : {}) };
}

/** Search and sort controls of the group list. Their state is in the URL, for bookmarks and the back button. */
export function GroupSearch() {
  const { path, query } = useRoute();
  const goTo = useGoTo();
  const [text, setText] = useState(query["q"] ?? "");
  const [by, setBy] = useState(query["by"] ?? "name");
  const order = query["order"] ?? "created";
  return (
    <search>
      <form
        className="search"
        onSubmit={(event) => {
          event.preventDefault();
          goTo(hashOf(path, { by: by === "name" ? null : by, q: text, order: query["order"] }));
        }}
      >
        <select aria-label="Search by" value={by} onChange={(event) => setBy(event.target.value)}>
          {Object.entries(SEARCHES).map(([name, { label }]) => (
            <option key={name} value={name}>
              {label}
            </option>
          ))}
        </select>
        <input
          type="search"
          aria-label="Search for"
          value={text}
          onChange={(event) => setText(event.target.value)}
          autoComplete="off"
          spellCheck={false}
        />
        <button type="submit">Search</button>
        <select
          aria-label="Sort by"
          className="end"
          value={order}
          onChange={(event) =>
            goTo(hashOf(path, { by: query["by"], q: query["q"], order: event.target.value }))
          }
        >
          {Object.entries(ORDERS).map(([name, { label }]) => (
            <option key={name} value={name}>
              {label}
            </option>
          ))}
        </select>
      </form>
    </search>
  );
}

function entryOf<T>(table: Readonly<Record<string, T>>, name: string | undefined): T | undefined {
  return name !== undefined && Object.hasOwn(table, name) ? table[name] : undefined;
}
