import { GroupByTokenDocument, type UserGroupFilter } from "../api/generated/operations.js";
import { ListSearch } from "../parts/list-search.js";
import { useDebounced } from "../parts/use-debounced.js";
import { useRoute } from "../routing/navigation.js";
import { hashOf } from "../routing/route.js";
import { useQuery } from "../session/use-query.js";

/** The beginning of user group tokens. */
const TOKEN = /^ugt_/;

/** Returns the filter in the URL; undefined if there is none. */
export function useGroupFilter(): UserGroupFilter | undefined {
  const { q, source, schema } = useRoute().query;
  if (!q && !source && !schema) return undefined;
  return {
    ...(q ? { search: q } : {}),
    ...(source ? { dataSource: { providedId: source } } : {}),
    ...(schema ? { schemaId: schema } : {}),
  };
}

/** The search field of the group list, which also finds a group by its token. */
export function GroupSearch() {
  const { path, query } = useRoute();
  const { source, schema } = query;
  return (
    <ListSearch
      label="Search groups"
      placeholder="Name, external ID or complete token"
      isSecret={(text) => TOKEN.test(text)}
    >
      {(text) => (
        <>
          {source && (
            <FilterChip label={`Data source: ${source}`} href={hashOf(path, { ...query, source: null })} />
          )}
          {schema && (
            <FilterChip label={`Schema: ${schema}`} href={hashOf(path, { ...query, schema: null })} />
          )}
          {TOKEN.test(text) && <TokenMatch token={text} />}
        </>
      )}
    </ListSearch>
  );
}

function FilterChip({ label, href }: { readonly label: string; readonly href: string }) {
  return (
    <a className="chip" href={href} aria-label={`Remove the filter ${label}`}>
      {label} <span aria-hidden="true">×</span>
    </a>
  );
}

/** The group of a token. Tokens are stored as hashes, so only complete ones can be found. */
function TokenMatch({ token }: { readonly token: string }) {
  const { data, isLoading } = useQuery(GroupByTokenDocument, { token: useDebounced(token) });
  if (isLoading) return null;
  const group = data?.userGroup;
  return (
    <p role="status">
      {group ? (
        <>
          This token belongs to <a href={hashOf(["groups", group.providedId])}>{group.name}</a>.
        </>
      ) : (
        "No group has this token."
      )}
    </p>
  );
}
