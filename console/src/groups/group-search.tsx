import { GroupNameDocument } from "../api/generated/operations.js";
import { ListSearch } from "../parts/list-search.js";
import { useDebounced } from "../parts/use-debounced.js";
import { hashOf } from "../routing/route.js";
import { useQuery } from "../session/use-query.js";
import { FilterChips } from "./group-filters.js";

const TOKEN = /^ugt_/;

/** The search field of the group list, which also finds a group by its token. */
export function GroupSearch() {
  return (
    <ListSearch
      label="Search groups"
      placeholder="Name, external ID or token"
      isSecret={(text) => TOKEN.test(text)}
    >
      {(text) => (
        <>
          <FilterChips />
          {TOKEN.test(text) && <TokenMatch token={text} />}
        </>
      )}
    </ListSearch>
  );
}

/** The group of a token. Tokens are stored as hashes, so only complete ones can be found. */
function TokenMatch({ token }: { readonly token: string }) {
  const { data, isLoading } = useQuery(GroupNameDocument, { by: { token: useDebounced(token) } });
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
