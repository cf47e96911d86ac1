import type { ReactNode } from "react";
import type { PagePartsFragment } from "../api/generated/operations.js";
import { Pager } from "./pager.js";
import { type Selection, SelectionBox } from "./selection.js";
import { type Sort, useSortLinks } from "./sort.js";

interface Column<Item> {
  readonly title: string;
  readonly cell: (item: Item) => ReactNode;
  readonly className?: string;
  readonly isWideOnly?: boolean;
  readonly isRowHead?: boolean;
  /** Whether the title is visible to screen readers only. */
  readonly isTitleHidden?: boolean;
  /** Makes the title a link that sorts by this column. */
  readonly sortKey?: string;
}

interface ListProps<Item> {
  readonly caption: string;
  readonly columns: readonly Column<Item>[];
  readonly page: { readonly nodes: readonly Item[]; readonly pageInfo: PagePartsFragment };
  readonly empty?: ReactNode;
  /** Current order, from `useSort`; required if a column has a sort key. */
  readonly sort?: Sort;
  /** The number of items on all pages, if it is known. */
  readonly total?: number | undefined;
  /** The items of a page, in the plural, if they are not rows. */
  readonly unit?: string;
  readonly selection?: Selection<Item>;
}

/** A page of a connection as a table with pagination links. */
export function List<Item extends { readonly id: string }>(props: ListProps<Item>) {
  const { caption, columns, page, empty, sort, total, unit = "Rows", selection } = props;
  const pager = <Pager pageInfo={page.pageInfo} length={page.nodes.length} total={total} unit={unit} />;
  if (page.nodes.length === 0 && empty !== undefined) {
    return (
      <>
        {empty}
        {pager}
      </>
    );
  }
  return (
    <>
      <table>
        <caption className="unseen">{caption}</caption>
        <thead>
          <tr>
            {selection && (
              <th scope="col" className="check">
                <SelectionBox selection={selection} items={page.nodes} label="Select all on this page" />
              </th>
            )}
            {columns.map((column) => (
              <ColumnHead key={column.title} column={column} sort={sort} />
            ))}
          </tr>
        </thead>
        <tbody>
          {page.nodes.map((item) => (
            <tr key={item.id} aria-selected={selection ? selection.selected.has(item.id) : undefined}>
              {selection && (
                <td className="check">
                  <SelectionBox
                    selection={selection}
                    items={[item]}
                    label={`Select ${selection.nameOf(item)}`}
                  />
                </td>
              )}
              {columns.map(({ title, cell, className, isWideOnly, isRowHead }) =>
                isRowHead ? (
                  <th key={title} scope="row">
                    {cell(item)}
                  </th>
                ) : (
                  <td key={title} className={classOf(className, isWideOnly)}>
                    {cell(item)}
                  </td>
                ),
              )}
            </tr>
          ))}
        </tbody>
      </table>
      {pager}
    </>
  );
}

interface ColumnHeadProps {
  readonly column: Pick<Column<never>, "title" | "isWideOnly" | "isTitleHidden" | "sortKey">;
  readonly sort: Sort | undefined;
}

function ColumnHead({ column: { title, isWideOnly, isTitleHidden, sortKey }, sort }: ColumnHeadProps) {
  const linkTo = useSortLinks();
  const isSorted = sortKey !== undefined && sort?.key === sortKey;
  const isDescending = isSorted && sort.isDescending;
  const order = isSorted ? (isDescending ? "descending" : "ascending") : "none";
  return (
    <th
      scope="col"
      className={isWideOnly ? "wide-only" : undefined}
      aria-sort={sortKey === undefined ? undefined : order}
    >
      {sortKey === undefined ? (
        <span className={isTitleHidden ? "unseen" : undefined}>{title}</span>
      ) : (
        <a className="sort" href={linkTo({ key: sortKey, isDescending: isSorted && !isDescending })}>
          {title}
          <span aria-hidden="true" className={isSorted ? undefined : "unsorted"}>
            {isSorted ? (isDescending ? " ↓" : " ↑") : " ⇅"}
          </span>
        </a>
      )}
    </th>
  );
}

function classOf(className: string | undefined, isWideOnly = false): string | undefined {
  return [isWideOnly && "wide-only", className].filter(Boolean).join(" ") || undefined;
}
