import { useState } from "react";
import { DataSourceListDocument } from "../api/generated/operations.js";
import { Loaded } from "../parts/loaded.js";
import { Page } from "../parts/page.js";
import { Pager, usePageVariables } from "../parts/pager.js";
import { Time } from "../parts/time.js";
import { useGoTo, useRoute } from "../routing/navigation.js";
import { hashOf } from "../routing/route.js";
import { useScope } from "../session/session.js";
import { useQuery } from "../session/use-query.js";
import { NewDataSource } from "./new-data-source.js";

/** The list of data sources of the environment. */
export function DataSourcesPage() {
  const { path, query: asked } = useRoute();
  const { q } = asked;
  const goTo = useGoTo();
  const [isAdding, setAdding] = useState(false);
  const filter = q ? { filter: { nameContains: q } } : {};
  const query = useQuery(DataSourceListDocument, { ...usePageVariables(), ...filter });
  return (
    <Page
      title="Data sources"
      actions={
        useScope("write") && (
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
          <input type="search" name="q" aria-label="Name has" placeholder="Name has…" defaultValue={q} />
          <button type="submit">Search</button>
        </form>
      </search>
      <Loaded query={query}>
        {({ dataSources: { nodes, pageInfo } }) => (
          <>
            {nodes.length === 0 && (
              <p className="empty" role="status">
                {q
                  ? "No data source has such a name."
                  : "There is no data source yet. Mappings lead schemas to them."}
              </p>
            )}
            {nodes.length > 0 && (
              <table>
                <caption className="unseen">Data sources</caption>
                <thead>
                  <tr>
                    <th scope="col">Name</th>
                    <th scope="col">Your id</th>
                    <th scope="col" className="wide-only">
                      Internal id
                    </th>
                    <th scope="col" className="wide-only">
                      Created
                    </th>
                    <th scope="col">Mapped by</th>
                  </tr>
                </thead>
                <tbody>
                  {nodes.map(({ id, dataSourceId, providedId, name, createdAt }) => (
                    <tr key={id}>
                      <th scope="row">{name}</th>
                      <td className="code">{providedId}</td>
                      <td className="wide-only">{dataSourceId}</td>
                      <td className="wide-only">
                        <Time at={createdAt} />
                      </td>
                      <td>
                        <a
                          href={hashOf(["groups"], { by: "source", q: providedId })}
                          aria-label={`Groups mapped to ${name}`}
                        >
                          Groups
                        </a>
                      </td>
                    </tr>
                  ))}
                </tbody>
              </table>
            )}
            <Pager pageInfo={pageInfo} />
          </>
        )}
      </Loaded>
      {isAdding && <NewDataSource onCreated={query.reload} onClose={() => setAdding(false)} />}
    </Page>
  );
}
