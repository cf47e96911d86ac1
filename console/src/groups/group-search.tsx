import { useContext, useEffect, useState } from "react";
import { GroupByTokenDocument, type UserGroupFilter } from "../api/generated/operations.js";
import { useDebounced } from "../parts/use-debounced.js";
import { NavigationContext, useRoute } from "../routing/navigation.js";
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

/** The search field of the group list. It filters while typing; the text is in the URL, for bookmarks and the back button. */
export function GroupSearch() {
  const { route, replace } = useContext(NavigationContext);
  const { path, query } = route;
  const { q = "", source, schema } = query;
  const [text, setText] = useState(q);
  const [shown, setShown] = useState(q);
  // Changed by the back button or a link.
  if (q !== shown) {
    setShown(q);
    setText(q);
  }
  const trimmed = text.trim();
  const isToken = TOKEN.test(trimmed);
  const settled = useDebounced(isToken ? "" : trimmed);
  useEffect(() => {
    // Not for a token: the URL is in the history.
    if (settled === q || settled !== trimmed) return;
    setShown(settled);
    replace(hashOf(path, { ...query, q: settled, after: null, before: null }));
  }, [settled, trimmed, q, path, query, replace]);
  return (
    <search className="search">
      <input
        type="search"
        aria-label="Search groups"
        aria-keyshortcuts="/"
        placeholder="Name, external ID or complete token"
        value={text}
        onChange={(event) => setText(event.target.value)}
        autoComplete="off"
        spellCheck={false}
      />
      {source && (
        <FilterChip label={`Data source: ${source}`} href={hashOf(path, { ...query, source: null })} />
      )}
      {schema && <FilterChip label={`Schema: ${schema}`} href={hashOf(path, { ...query, schema: null })} />}
      {isToken && <TokenMatch token={trimmed} />}
    </search>
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
