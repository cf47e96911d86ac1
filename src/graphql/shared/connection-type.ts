import { Field, Int, ObjectType } from "type-graphql";
import {
  type Page,
  type PageArguments,
  type PageRequest,
  type Position,
  parsePage,
  positionOf,
  type SortKey,
  type SortOrder,
  toCursor,
} from "../../domain/shared/pagination.js";
import type { ItemList } from "../../services/shared/item-list.js";
import { type GraphqlContext, requireSession } from "./context.js";
import { nullable } from "./nullable.js";

@ObjectType("PageInfo", { description: "Information about a page of a list.", simpleResolvers: true })
class PageInfo {
  @Field(() => Boolean, { description: "Indicates whether more items follow this page." })
  readonly hasNextPage!: boolean;

  @Field(() => Boolean, { description: "Indicates whether more items precede this page." })
  readonly hasPreviousPage!: boolean;

  @Field(() => String, nullable("The cursor of the page's first item; null if the page is empty."))
  readonly startCursor!: string | null;

  @Field(() => String, nullable("The cursor of the page's last item; null if the page is empty."))
  readonly endCursor!: string | null;
}

/** Data source of a connection; the page and the count are loaded only if a selected field needs them. */
export interface ConnectionSource<Item> {
  readonly context: GraphqlContext;
  readonly page: PageArguments;
  /** Sort key of the list; its field is part of every cursor. */
  readonly sort: SortKey;
  positionOf(item: Item): Position;
  load(request: PageRequest): Promise<Page<Item>>;
  count(): Promise<number>;
}

/** Returns the source of a connection with a list's items. Without `orderBy`, they are in the list's default order. */
export function sourceOf<Item extends { readonly id: number }, Filter, Field extends string>(
  list: ItemList<Item, Filter, Field>,
  context: GraphqlContext,
  page: PageArguments & { readonly orderBy?: SortOrder<Field> | null },
  filter: Filter,
): ConnectionSource<Item> {
  const by = page.orderBy ?? list.order.default;
  const field = list.order.fields[by.field];
  const { tenant } = requireSession(context).loaders;
  return {
    context,
    page,
    sort: { field: by.field, kind: field.kind },
    positionOf: (item) => positionOf(item, field),
    load: (request) => list.page(tenant, filter, by, request),
    count: () => list.count(tenant, filter),
  };
}

/** Returns an item's position in a list sorted by internal ID. */
export function positionById({ id }: { readonly id: number }): Position {
  return { value: id, id };
}

/**
 * Creates the types `<name>Edge` and `<name>Connection` for nodes of a view.
 * @param viewAll returns the views of a page's items
 */
export function createConnectionType<Item, View extends object>(
  name: string,
  NodeView: new (item: Item) => View,
  viewAll = async (items: readonly Item[], _: GraphqlContext) => items.map((item) => new NodeView(item)),
) {
  @ObjectType(`${name}Edge`, { description: "An edge in a connection.", simpleResolvers: true })
  class Edge {
    @Field(() => NodeView, { description: "The item at the end of the edge." })
    readonly node!: View | undefined;

    @Field(() => String, { description: "The cursor of the item, for `after` and `before`." })
    readonly cursor!: string;
  }

  @ObjectType(`${name}Connection`, { description: `A page of a list of \`${name}\` objects.` })
  class Connection {
    readonly #request: PageRequest;
    #page: Promise<Page<Item>> | undefined;

    /** @throws DomainError `invalid_field` for an invalid page */
    constructor(private readonly source: ConnectionSource<Item>) {
      this.#request = { ...parsePage(source.page, source.sort), fields: source.context.fields };
    }

    @Field(() => [Edge], { description: "The page's items with their cursors." })
    async edges(): Promise<Edge[]> {
      const { items } = await this.#load();
      const nodes = await this.nodes();
      return items.map((item, index) => ({ node: nodes[index], cursor: this.#cursor(item) }));
    }

    @Field(() => [NodeView], { description: "The page's items." })
    async nodes(): Promise<readonly View[]> {
      return viewAll((await this.#load()).items, this.source.context);
    }

    @Field(() => PageInfo, { description: "Information for pagination." })
    async pageInfo(): Promise<PageInfo> {
      const { items, hasMore } = await this.#load();
      const { from, after, before } = this.#request;
      const first = items.at(0);
      const last = items.at(-1);
      return {
        // Opposite to the paging direction, a start cursor implies that there are more items: no query is needed.
        hasNextPage: from === "start" ? hasMore : before !== null,
        hasPreviousPage: from === "end" ? hasMore : after !== null,
        startCursor: first === undefined ? null : this.#cursor(first),
        endCursor: last === undefined ? null : this.#cursor(last),
      };
    }

    @Field(() => Int, { description: "The total number of items in the list. Counted only if selected." })
    async totalCount(): Promise<number> {
      return this.source.count();
    }

    #cursor(item: Item): string {
      return toCursor(this.source.sort.field, this.source.positionOf(item));
    }

    async #load(): Promise<Page<Item>> {
      this.#page ??= this.source.load(this.#request);
      return this.#page;
    }
  }

  return Connection;
}
