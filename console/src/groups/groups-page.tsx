import { GroupCountDocument, GroupListDocument, type GroupListQuery } from "../api/generated/operations.js";
import { Loaded } from "../parts/loaded.js";
import { Page } from "../parts/page.js";
import { Pager, usePageVariables } from "../parts/pager.js";
import { Time } from "../parts/time.js";
import { useRoute } from "../routing/navigation.js";
import { hashOf } from "../routing/route.js";
import { useScope } from "../session/session.js";
import { useQuery } from "../session/use-query.js";
import { GroupSearch, useGroupSearch } from "./group-search.js";

/** The list of user groups. */
export function GroupsPage() {
  const search = useGroupSearch();
  const { query: asked } = useRoute();
  const query = useQuery(GroupListDocument, { ...usePageVariables(), ...search });
  // By itself: to count a million groups takes longer than to show some.
  const count = useQuery(GroupCountDocument, search.filter ? { filter: search.filter } : {});
  const total = count.isLoading ? undefined : count.data?.userGroups.totalCount;
  return (
    <Page
      title="Groups"
      actions={
        useScope("write") && (
          <a className="button primary" href={hashOf(["new-group"])}>
            New group
          </a>
        )
      }
    >
      {/* Anew when the address has another search, as by the back button. */}
      <GroupSearch key={`${asked["by"]} ${asked["q"]}`} />
      <p className="fine" role="status">
        {total === undefined ? "Counting…" : `${total.toLocaleString()} ${total === 1 ? "group" : "groups"}`}
        {search.filter && " found"}
      </p>
      <Loaded query={query}>
        {({ userGroups: { nodes, pageInfo } }) => (
          <>
            {nodes.length === 0 ? (
              <NoGroups isSearch={search.filter !== undefined} />
            ) : (
              <Table groups={nodes} />
            )}
            <Pager pageInfo={pageInfo} />
          </>
        )}
      </Loaded>
    </Page>
  );
}

function Table({ groups }: { readonly groups: GroupListQuery["userGroups"]["nodes"] }) {
  return (
    <table>
      <caption className="unseen">User groups</caption>
      <thead>
        <tr>
          <th scope="col">Name</th>
          <th scope="col">Your id</th>
          <th scope="col" className="wide-only">
            Schemas
          </th>
          <th scope="col" className="wide-only">
            Last changed
          </th>
        </tr>
      </thead>
      <tbody>
        {groups.map(({ id, providedId, name, mapping, updatedAt }) => (
          <tr key={id}>
            <th scope="row">
              <a href={hashOf(["groups", providedId])}>{name}</a>
            </th>
            <td className="code">{providedId}</td>
            <td className="wide-only">{mapping.map(({ schemaId }) => schemaId).join(", ") || "none"}</td>
            <td className="wide-only">
              <Time at={updatedAt} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function NoGroups({ isSearch }: { readonly isSearch: boolean }) {
  if (isSearch) {
    return (
      <p className="empty">
        No group meets this. <a href={hashOf(["groups"])}>Show all</a>
      </p>
    );
  }
  return (
    <p className="empty">
      There is no group yet. Each is one of your customers, made here or by the first call for it.
    </p>
  );
}
