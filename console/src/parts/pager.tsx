import type { PagePartsFragment } from "../api/generated/operations.js";
import { useRoute } from "../routing/navigation.js";
import { hashOf } from "../routing/route.js";

const PAGE_SIZE = 25;

/** Returns the connection variables for the page in the URL. */
export function usePageVariables() {
  const { after, before } = useRoute().query;
  if (before !== undefined) return { last: PAGE_SIZE, before };
  return { first: PAGE_SIZE, ...(after === undefined ? {} : { after }) };
}

/** Pagination links. Being links, they work with the back button. */
export function Pager({ pageInfo }: { readonly pageInfo: PagePartsFragment }) {
  const { path, query } = useRoute();
  const { hasPreviousPage, hasNextPage, startCursor, endCursor } = pageInfo;
  if (!hasPreviousPage && !hasNextPage) return null;
  return (
    <nav className="pager" aria-label="Pages">
      {hasPreviousPage && (
        <>
          <a href={hashOf(path, { ...query, after: null, before: null })}>First</a>
          <a rel="prev" href={hashOf(path, { ...query, after: null, before: startCursor })}>
            Previous
          </a>
        </>
      )}
      {hasNextPage && (
        <a rel="next" href={hashOf(path, { ...query, before: null, after: endCursor })}>
          Next
        </a>
      )}
    </nav>
  );
}
