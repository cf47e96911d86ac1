import type { CallOptions } from "./options.js";

/** How a list is read. */
export interface ListOptions extends Omit<CallOptions, "idempotencyKey"> {
  /** How many items a request asks for: 1 to 100; 100 unless told otherwise. */
  readonly pageSize?: number | undefined;
}

interface Page<Item> {
  readonly nodes: readonly Item[];
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null };
}

/** The items of all pages; each page is asked for once its items are wanted. */
export async function* pages<Item>(
  read: (first: number, after: string | null) => Promise<Page<Item>>,
  pageSize = 100,
): AsyncGenerator<Item, void, undefined> {
  let after: string | null = null;
  do {
    const { nodes, pageInfo }: Page<Item> = await read(pageSize, after);
    yield* nodes;
    after = pageInfo.hasNextPage ? pageInfo.endCursor : null;
  } while (after !== null);
}
