import { type ReactNode, useRef, useState } from "react";
import { GroupCountDocument, GroupListDocument, type UserGroupOrder } from "../api/generated/operations.js";
import { Empty } from "../parts/empty.js";
import { List } from "../parts/list.js";
import { Loaded } from "../parts/loaded.js";
import { Page } from "../parts/page.js";
import { usePageVariables } from "../parts/pager.js";
import { plural } from "../parts/plural.js";
import { useSort } from "../parts/sort.js";
import { Time } from "../parts/time.js";
import { useRoute } from "../routing/navigation.js";
import { hashOf } from "../routing/route.js";
import { useScope } from "../session/session.js";
import { useQuery } from "../session/use-query.js";
import { BulkActions } from "./bulk-actions.js";
import { ExportGroups } from "./export-groups.js";
import { FilterForm, useGroupFilter, usePropertyColumns } from "./group-filters.js";
import { GroupSearch } from "./group-search.js";
import type { ListedGroup } from "./listed-group.js";
import { NewChanges } from "./new-changes.js";
import { UnfinishedChanges } from "./unfinished-changes.js";
import { textOf } from "./value-text.js";

const SORT_FIELDS = {
  name: "NAME",
  id: "PROVIDED_ID",
  created: "TEAM_ID",
  changed: "UPDATED_AT",
} as const satisfies Record<string, UserGroupOrder["field"]>;
const MAX_SCHEMAS = 2;
/** How long after a change in this tab events about it arrive. */
const OWN_EVENTS_MS = 2000;

export function GroupsPage() {
  const filter = useGroupFilter();
  const sort = useSort(Object.keys(SORT_FIELDS), { key: "created", isDescending: true });
  const [selected, setSelected] = useState<ReadonlyMap<string, ListedGroup>>(new Map());
  const columns = usePropertyColumns();
  const query = useQuery(GroupListDocument, {
    withProperties: columns.length > 0,
    ...usePageVariables(),
    ...(filter ? { filter } : {}),
    orderBy: { field: fieldOf(sort.key), direction: sort.isDescending ? "DESC" : "ASC" },
  });
  // A separate query, because counting a million groups takes longer than listing a page.
  const count = useQuery(GroupCountDocument, filter ? { filter } : {});
  const total = count.isLoading ? undefined : count.data?.userGroups.totalCount;
  const canWrite = useScope("WRITE");
  const ignoreUntil = useRef(0);
  const add = canWrite && (
    <a className="button primary" href={hashOf(["new-group"])}>
      New group
    </a>
  );

  function reload() {
    query.reload();
    count.reload();
  }
  function reloadAfterChange() {
    ignoreUntil.current = Date.now() + OWN_EVENTS_MS;
    reload();
  }
  return (
    <Page
      title="Groups"
      description="A group is one of your customers: its properties, data sources and token."
      actions={
        <>
          {canWrite && (
            <a className="button" href={hashOf(["bulk-changes"])}>
              Bulk changes
            </a>
          )}
          <a className="button" href={hashOf(["property-schema"])}>
            Property schema
          </a>
          <ExportGroups filter={filter} />
          {add}
        </>
      }
    >
      <UnfinishedChanges onDone={reloadAfterChange} />
      <GroupSearch />
      <FilterForm columns={columns} />
      {selected.size > 0 && (
        <BulkActions
          selected={selected}
          shown={query.data?.userGroups.nodes ?? []}
          filter={filter}
          total={total}
          onChange={setSelected}
          onDone={reloadAfterChange}
        />
      )}
      <div className="fine list-count">
        <span role="status">
          {total === undefined ? !count.failure && "Counting…" : plural(total, "group")}
          {total !== undefined && filter && " found"}
        </span>
        <NewChanges loadedAt={query.loadedAt} ignoreUntil={ignoreUntil} onShow={reload} />
      </div>
      <Loaded query={query}>
        {({ userGroups }) => (
          <List
            caption="User groups"
            page={userGroups}
            total={total}
            empty={<NoGroups isSearch={filter !== undefined} add={add} />}
            sort={sort}
            selection={{ selected, onChange: setSelected, nameOf: ({ name }) => name }}
            columns={[
              {
                title: "Name",
                isRowHead: true,
                sortKey: "name",
                cell: ({ providedId, name }) => (
                  <a className="clamped" href={hashOf(["groups", providedId])} title={name}>
                    {name}
                  </a>
                ),
              },
              {
                title: "External ID",
                className: "code",
                sortKey: "id",
                cell: ({ providedId }) => (
                  <span className="clamped" title={providedId}>
                    {providedId}
                  </span>
                ),
              },
              ...columns.map((property) => ({
                title: property,
                className: "value",
                isWideOnly: true,
                cell: ({ properties }: ListedGroup) => (
                  <span className="clamped">{textOf(Object(properties)[property])}</span>
                ),
              })),
              {
                title: "Schemas",
                className: "schemas",
                isWideOnly: true,
                cell: (group) => <Schemas group={group} />,
              },
              {
                title: "Created",
                isWideOnly: true,
                sortKey: "created",
                cell: ({ createdAt }) => <Time at={createdAt} isRelative />,
              },
              {
                title: "Last changed",
                isWideOnly: true,
                sortKey: "changed",
                cell: ({ updatedAt }) => <Time at={updatedAt} isRelative />,
              },
            ]}
          />
        )}
      </Loaded>
    </Page>
  );
}

function Schemas({ group: { mapping } }: { readonly group: ListedGroup }) {
  const shown = mapping.slice(0, MAX_SCHEMAS);
  if (shown.length === 0) return <span className="fine">–</span>;
  return (
    <>
      {shown.map(({ schemaId }) => (
        <span key={schemaId} className="badge" title={schemaId}>
          {schemaId}
        </span>
      ))}
      {mapping.length > shown.length && <span className="fine"> +{mapping.length - shown.length}</span>}
    </>
  );
}

function NoGroups({ isSearch, add }: { readonly isSearch: boolean; readonly add: ReactNode }) {
  const { q } = useRoute().query;
  if (isSearch) {
    return (
      <Empty
        title={q ? "No groups match your search" : "No groups match the filter"}
        action={
          <a className="button" href={hashOf(["groups"])}>
            Show all groups
          </a>
        }
      />
    );
  }
  return (
    <Empty title="No groups yet" action={add}>
      A group is one of your customers. Create it here, or with the first API call for it.
    </Empty>
  );
}

function fieldOf(key: string): UserGroupOrder["field"] {
  return Object.entries(SORT_FIELDS).find(([name]) => name === key)?.[1] ?? "TEAM_ID";
}
