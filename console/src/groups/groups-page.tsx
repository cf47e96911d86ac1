import { GroupCountDocument, GroupListDocument } from "../api/generated/operations.js";
import { List } from "../parts/list.js";
import { Loaded } from "../parts/loaded.js";
import { Page } from "../parts/page.js";
import { usePageVariables } from "../parts/pager.js";
import { Time } from "../parts/time.js";
import { useRoute } from "../routing/navigation.js";
import { hashOf } from "../routing/route.js";
import { useScope } from "../session/session.js";
import { useQuery } from "../session/use-query.js";
import { GroupSearch, useGroupSearch } from "./group-search.js";

export function GroupsPage() {
  const search = useGroupSearch();
  const { query: urlQuery } = useRoute();
  const query = useQuery(GroupListDocument, { ...usePageVariables(), ...search });
  // A separate query, because counting a million groups takes longer than listing a page.
  const count = useQuery(GroupCountDocument, search.filter ? { filter: search.filter } : {});
  const total = count.isLoading ? undefined : count.data?.userGroups.totalCount;
  return (
    <Page
      title="Groups"
      actions={
        useScope("WRITE") && (
          <a className="button primary" href={hashOf(["new-group"])}>
            New group
          </a>
        )
      }
    >
      {/* Remount when the search in the URL changes, for example by the back button. */}
      <GroupSearch key={`${urlQuery["by"]} ${urlQuery["q"]}`} />
      <p className="fine" role="status">
        {total === undefined ? "Counting…" : `${total.toLocaleString()} ${total === 1 ? "group" : "groups"}`}
        {search.filter && " found"}
      </p>
      <Loaded query={query}>
        {({ userGroups }) => (
          <List
            caption="User groups"
            page={userGroups}
            empty={<NoGroups isSearch={search.filter !== undefined} />}
            columns={[
              {
                title: "Name",
                isRowHead: true,
                cell: ({ providedId, name }) => <a href={hashOf(["groups", providedId])}>{name}</a>,
              },
              { title: "External ID", className: "code", cell: ({ providedId }) => providedId },
              {
                title: "Schemas",
                isWideOnly: true,
                cell: ({ mapping }) => mapping.map(({ schemaId }) => schemaId).join(", ") || "none",
              },
              { title: "Last changed", isWideOnly: true, cell: ({ updatedAt }) => <Time at={updatedAt} /> },
            ]}
          />
        )}
      </Loaded>
    </Page>
  );
}

function NoGroups({ isSearch }: { readonly isSearch: boolean }) {
  if (isSearch) {
    return (
      <p className="empty">
        No groups match your search. <a href={hashOf(["groups"])}>Show all groups</a>
      </p>
    );
  }
  return (
    <p className="empty">
      No groups yet. A group is one of your customers. Create it here, or with the first API call for it.
    </p>
  );
}
