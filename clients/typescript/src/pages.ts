import type { CallOptions } from "./options.js";
import { keepResponse, responseOf } from "./response.js";

/** Options of a list. */
export interface ListOptions extends Omit<CallOptions, "idempotencyKey"> {
  /** Items per request, 1 to 250. Default: 100. */
  readonly pageSize?: number | undefined;
}

export interface Page<Item> {
  readonly nodes: readonly Item[];
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null };
}

/** Yields the items of all pages; requests each page when it is needed. */
export async function* paginate<Item>(
  read: (first: number, after: string | null) => Promise<Page<Item>>,
  pageSize = 100,
): AsyncGenerator<Item, void, undefined> {
  let after: string | null = null;
  do {
    const page: Page<Item> = await read(pageSize, after);
    const { nodes, pageInfo } = page;
    for (const node of nodes) yield keepResponse(node, responseOf(page));
    after = pageInfo.hasNextPage ? pageInfo.endCursor : null;
  } while (after !== null);
}
