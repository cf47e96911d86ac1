import { useState } from "react";
import { DataSourceListDocument } from "../api/generated/operations.js";
import { List } from "../parts/list.js";
import { Loaded } from "../parts/loaded.js";
import { Page } from "../parts/page.js";
import { usePageVariables } from "../parts/pager.js";
import { Time } from "../parts/time.js";
import { useGoTo, useRoute } from "../routing/navigation.js";
import { hashOf } from "../routing/route.js";
import { useScope } from "../session/session.js";
import { useQuery } from "../session/use-query.js";
import { NewDataSource } from "./new-data-source.js";

export function DataSourcesPage() {
  const { path, query: urlQuery } = useRoute();
  const { q } = urlQuery;
  const goTo = useGoTo();
  const [isAdding, setAdding] = useState(false);
  const filter = q ? { filter: { nameContains: q } } : {};
  const query = useQuery(DataSourceListDocument, { ...usePageVariables(), ...filter });
  return (
    <Page
      title="Data sources"
      actions={
        useScope("WRITE") && (
          <button type="button" className="primary" onClick={() => setAdding(true)}>
            New data source
          </button>
        )
      }
    >
      <search>
        <form
          key={q}
          className="search"
          onSubmit={(event) => {
            event.preventDefault();
            const text = new FormData(event.currentTarget).get("q");
            goTo(hashOf(path, { q: typeof text === "string" ? text : null }));
          }}
        >
          <input
            type="search"
            name="q"
            aria-label="Name contains"
            placeholder="Name contains…"
            defaultValue={q}
          />
          <button type="submit">Search</button>
        </form>
      </search>
      <Loaded query={query}>
        {({ dataSources }) => (
          <List
            caption="Data sources"
            page={dataSources}
            empty={
              <p className="empty" role="status">
                {q
                  ? "No data sources match your search."
                  : "No data sources yet. A mapping assigns a data source to each schema."}
              </p>
            }
            columns={[
              { title: "Name", isRowHead: true, cell: ({ name }) => name },
              { title: "External ID", className: "code", cell: ({ providedId }) => providedId },
              { title: "Internal ID", isWideOnly: true, cell: ({ dataSourceId }) => dataSourceId },
              { title: "Created", isWideOnly: true, cell: ({ createdAt }) => <Time at={createdAt} /> },
              {
                title: "Mapped by",
                cell: ({ providedId, name }) => (
                  <a
                    href={hashOf(["groups"], { source: providedId })}
                    aria-label={`Groups mapped to ${name}`}
                  >
                    Groups
                  </a>
                ),
              },
            ]}
          />
        )}
      </Loaded>
      {isAdding && <NewDataSource onCreated={query.reload} onClose={() => setAdding(false)} />}
    </Page>
  );
}
