import type { ReactNode } from "react";
import type { PagePartsFragment } from "../api/generated/operations.js";
import { Pager } from "./pager.js";

interface Column<Item> {
  readonly title: string;
  readonly cell: (item: Item) => ReactNode;
  /** CSS class of the cells. */
  readonly className?: string;
  readonly isWideOnly?: boolean;
  /** Whether the cells are row headers. */
  readonly isRowHead?: boolean;
  /** Whether the title is visible to screen readers only. */
  readonly isTitleHidden?: boolean;
}

interface ListProps<Item> {
  readonly caption: string;
  readonly columns: readonly Column<Item>[];
  readonly page: { readonly nodes: readonly Item[]; readonly pageInfo: PagePartsFragment };
  /** Shown instead of an empty table. */
  readonly empty?: ReactNode;
}

/** A page of a connection as a table with pagination links. */
export function List<Item extends { readonly id: string }>(props: ListProps<Item>) {
  const { caption, columns, page, empty } = props;
  return (
    <>
      {page.nodes.length === 0 && empty !== undefined ? (
        empty
      ) : (
        <table>
          <caption className="unseen">{caption}</caption>
          <thead>
            <tr>
              {columns.map(({ title, isWideOnly, isTitleHidden }) => (
                <th key={title} scope="col" className={isWideOnly ? "wide-only" : undefined}>
                  {isTitleHidden ? <span className="unseen">{title}</span> : title}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {page.nodes.map((item) => (
              <tr key={item.id}>
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
      )}
      <Pager pageInfo={page.pageInfo} />
    </>
  );
}

function classOf(className: string | undefined, isWideOnly = false): string | undefined {
  return [...(isWideOnly ? ["wide-only"] : []), ...(className ? [className] : [])].join(" ") || undefined;
}
