import { type ReactNode, useState } from "react";
import {
  DataSourceListDocument,
  type DataSourcePartsFragment,
  DataSourceUsageDocument,
} from "../api/generated/operations.js";
import { Empty } from "../parts/empty.js";
import { List } from "../parts/list.js";
import { ListSearch } from "../parts/list-search.js";
import { Loaded } from "../parts/loaded.js";
import { Page } from "../parts/page.js";
import { usePageVariables } from "../parts/pager.js";
import { plural } from "../parts/plural.js";
import { RowMenu } from "../parts/row-menu.js";
import { Time } from "../parts/time.js";
import { useNewDialog, useRoute } from "../routing/navigation.js";
import { hashOf } from "../routing/route.js";
import { useScope } from "../session/session.js";
import { useQuery } from "../session/use-query.js";
import { DataSourceDialog } from "./data-source-dialog.js";
import { DeleteDataSource } from "./delete-data-source.js";

interface OpenDialog {
  readonly kind: "edit" | "delete";
  readonly dataSource: DataSourcePartsFragment;
}

export function DataSourcesPage() {
  const { q } = useRoute().query;
  const [open, setOpen] = useState<OpenDialog | null>(null);
  const { isNewOpen, openNew, closeNew } = useNewDialog();
  const canWrite = useScope("WRITE");
  const filter = q ? { filter: { nameContains: q } } : {};
  const query = useQuery(DataSourceListDocument, { ...usePageVariables(), ...filter });
  const ids = query.data?.dataSources.nodes.map(({ id }) => id) ?? [];
  // A separate query, because counting takes longer than listing a page.
  const usage = useQuery(DataSourceUsageDocument, { ids }, ids.length > 0);
  const counts = new Map(
    usage.data?.nodes.flatMap((node) =>
      node?.__typename === "DataSource" ? [[node.id, node.userGroups.totalCount] as const] : [],
    ),
  );
  const groupsLink = ({ id, providedId, name }: DataSourcePartsFragment) => {
    const count = counts.get(id);
    const text = count === undefined ? "Show groups" : plural(count, "group");
    return (
      <a href={hashOf(["groups"], { source: providedId })} aria-label={`${text} with ${name}`}>
        {text}
      </a>
    );
  };
  const close = () => setOpen(null);
  const add = canWrite && (
    <button type="button" className="primary" onClick={openNew}>
      New data source
    </button>
  );
  return (
    <Page
      title="Data sources"
      description="The databases that dashboards read. A group's mapping names one for each schema."
      actions={add}
    >
      <ListSearch label="Search data sources" placeholder="Search by name" />
      <Loaded query={query}>
        {({ dataSources }) => (
          <List
            caption="Data sources"
            page={dataSources}
            empty={<NoDataSources isSearch={q !== undefined} add={add} />}
            columns={[
              {
                title: "Name",
                isRowHead: true,
                cell: (dataSource) => (
                  <>
                    <span className="clamped" title={dataSource.name}>
                      {dataSource.name}
                    </span>
                    <span className="code fine narrow-only">{dataSource.providedId}</span>
                    <span className="narrow-only">{groupsLink(dataSource)}</span>
                  </>
                ),
              },
              {
                title: "External ID",
                className: "code",
                isWideOnly: true,
                cell: ({ providedId }) => providedId,
              },
              { title: "Internal ID", isWideOnly: true, cell: ({ dataSourceId }) => dataSourceId },
              {
                title: "Created",
                isWideOnly: true,
                cell: ({ createdAt }) => <Time at={createdAt} isRelative />,
              },
              { title: "Used by", className: "word", isWideOnly: true, cell: groupsLink },
              ...(canWrite
                ? [
                    {
                      title: "Actions",
                      isTitleHidden: true,
                      className: "row-actions",
                      cell: (dataSource: DataSourcePartsFragment) => (
                        <RowMenu
                          name={dataSource.name}
                          actions={[
                            { label: "Edit…", run: () => setOpen({ kind: "edit", dataSource }) },
                            {
                              label: "Delete…",
                              isRed: true,
                              run: () => setOpen({ kind: "delete", dataSource }),
                            },
                          ]}
                        />
                      ),
                    },
                  ]
                : []),
            ]}
          />
        )}
      </Loaded>
      {isNewOpen && canWrite && (
        <DataSourceDialog dataSource={null} onChange={query.reload} onClose={closeNew} />
      )}
      {open?.kind === "edit" && (
        <DataSourceDialog dataSource={open.dataSource} onChange={query.reload} onClose={close} />
      )}
      {open?.kind === "delete" && (
        <DeleteDataSource dataSource={open.dataSource} onDeleted={query.reload} onClose={close} />
      )}
    </Page>
  );
}

function NoDataSources({ isSearch, add }: { readonly isSearch: boolean; readonly add: ReactNode }) {
  if (!isSearch) {
    return (
      <Empty title="No data sources yet" action={add}>
        Create one for each database that dashboards read, for example one for each region.
      </Empty>
    );
  }
  return (
    <Empty
      title="No data sources match your search"
      action={
        <a className="button" href={hashOf(["data-sources"])}>
          Show all data sources
        </a>
      }
    />
  );
}
