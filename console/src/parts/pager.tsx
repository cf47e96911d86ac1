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
  readonly length: number;
  /** The number of items on all pages, if it is known. */
  readonly total: number | undefined;
  /** The items of a page, in the plural. */
  readonly unit: string;
}

/** Pagination links and the page size. Being links, they work with the back button. */
export function Pager({ pageInfo, length, total, unit }: PagerProps) {
  const { path, query } = useRoute();
  const goTo = useGoTo();
  const { hasPreviousPage, hasNextPage, startCursor, endCursor } = pageInfo;
  const { size = String(DEFAULT_SIZE) } = query;
  // The number of items before the page, which cursors do not contain.
  const from = hasPreviousPage ? Number(query["from"]) : 0;
  const before = Math.max(0, from - Number(size)) || null;
  if (!hasPreviousPage && !hasNextPage && size === String(DEFAULT_SIZE)) return null;
  return (
    <nav className="pager" aria-label="Pages">
      <PageLink label="First" to={hasPreviousPage && {}} />
      <PageLink label="Previous" rel="prev" to={hasPreviousPage && { before: startCursor, from: before }} />
      <PageLink label="Next" rel="next" to={hasNextPage && { after: endCursor, from: from + length }} />
      {total !== undefined && length > 0 && from + length <= total && (
        <span className="fine wide-only">
          {(from + 1).toLocaleString()}–{(from + length).toLocaleString()} of {total.toLocaleString()}
        </span>
      )}
      <label className="page-size">
        <span>
          {unit} <span className="wide-only">per page</span>
        </span>
        <select
          value={size}
          onChange={(event) =>
            goTo(hashOf(path, { ...query, size: event.target.value, after: null, before: null, from: null }))
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
  readonly to:
    | false
    | {
        readonly after?: string | null;
        readonly before?: string | null;
        /** The number of items before it. */
        readonly from?: number | null;
      };
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
    <a
      className="button"
      rel={rel}
      onClick={() => scrollTo({ top: 0 })}
      href={hashOf(path, {
        ...query,
        after: null,
        before: null,
        ...to,
        from: to.from ? String(to.from) : null,
      })}
    >
      {label}
    </a>
  );
}
