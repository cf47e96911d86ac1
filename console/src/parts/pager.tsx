import type { PagePartsFragment } from "../api/generated/operations.js";
import { useGoTo, useRoute } from "../routing/navigation.js";
import { hashOf } from "../routing/route.js";

const PAGE_SIZES = [25, 50, 100];
const DEFAULT_SIZE = 25;

/** Returns the connection variables for the page in the URL. */
export function usePageVariables() {
  const { after, before, size } = useRoute().query;
  const pageSize = PAGE_SIZES.find((each) => String(each) === size) ?? DEFAULT_SIZE;
  if (before !== undefined) return { last: pageSize, before };
  return { first: pageSize, ...(after === undefined ? {} : { after }) };
}

interface PagerProps {
  readonly pageInfo: PagePartsFragment;
  /** The items of a page, in the plural. */
  readonly unit: string;
}

/** Pagination links and the page size. Being links, they work with the back button. */
export function Pager({ pageInfo, unit }: PagerProps) {
  const { path, query } = useRoute();
  const goTo = useGoTo();
  const { hasPreviousPage, hasNextPage, startCursor, endCursor } = pageInfo;
  const { size = String(DEFAULT_SIZE) } = query;
  if (!hasPreviousPage && !hasNextPage && size === String(DEFAULT_SIZE)) return null;
  return (
    <nav className="pager" aria-label="Pages">
      <PageLink label="First" to={hasPreviousPage && {}} />
      <PageLink label="Previous" rel="prev" to={hasPreviousPage && { before: startCursor }} />
      <PageLink label="Next" rel="next" to={hasNextPage && { after: endCursor }} />
      <label className="page-size">
        <span>
          {unit} <span className="wide-only">per page</span>
        </span>
        <select
          value={size}
          onChange={(event) =>
            goTo(hashOf(path, { ...query, size: event.target.value, after: null, before: null }))
          }
        >
          {PAGE_SIZES.map((each) => (
            <option key={each}>{each}</option>
          ))}
        </select>
      </label>
    </nav>
  );
}

interface PageLinkProps {
  readonly label: string;
  readonly rel?: "prev" | "next";
  /** The position in the list; false if there is no such page. */
  readonly to: false | { readonly after?: string | null; readonly before?: string | null };
}

/** A link to another page of the list. It keeps its place where there is no such page. */
function PageLink({ label, rel, to }: PageLinkProps) {
  const { path, query } = useRoute();
  if (to === false) {
    return (
      <span className="button disabled" aria-hidden="true">
        {label}
      </span>
    );
  }
  return (
    <a className="button" rel={rel} href={hashOf(path, { ...query, after: null, before: null, ...to })}>
      {label}
    </a>
  );
}
