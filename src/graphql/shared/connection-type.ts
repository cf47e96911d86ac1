import { type ClassType, Field, Int, ObjectType } from "type-graphql";
import {
  type Page,
  type PageArguments,
  type PageRequest,
  type Position,
  parsePage,
  type SortKey,
  toCursor,
} from "../../domain/shared/page.js";
import { PageInfo } from "./page-info-type.js";

/** Where a connection gets its items from: nothing is read before a field that needs it is asked for. */
export interface ConnectionSource<Item> {
  readonly page: PageArguments;
  /** What the list is sorted by; its field is part of every cursor. */
  readonly sort: SortKey;
  positionOf(item: Item): Position;
  load(request: PageRequest): Promise<Page<Item>>;
  count(): Promise<number>;
}

/** The position in a list that is sorted by internal ID. */
export function positionById({ id }: { readonly id: number }): Position {
  return { value: id, id };
}

/** Makes the types of a connection: `<name>Edge` and `<name>Connection`, whose items are shown as `nodeType`. */
export function createConnectionType<Item, View extends object>(
  name: string,
  nodeType: ClassType<View>,
  toView: (item: Item) => View,
) {
  @ObjectType(`${name}Edge`, { description: "An item of a page and its cursor.", simpleResolvers: true })
  class Edge {
    @Field(() => nodeType, { description: "The item." })
    readonly node: View;

    @Field(() => String, { description: "The item's place in the list, for `after` and `before`." })
    readonly cursor: string;

    constructor(node: View, cursor: string) {
      this.node = node;
      this.cursor = cursor;
    }
  }

  @ObjectType(`${name}Connection`, { description: "A page of a list." })
  class Connection {
    readonly #source: ConnectionSource<Item>;
    readonly #request: PageRequest;
    #page: Promise<Page<Item>> | undefined;

    /** @throws DomainError `invalid_field` for an invalid page */
    constructor(source: ConnectionSource<Item>) {
      this.#source = source;
      this.#request = parsePage(source.page, source.sort);
    }

    @Field(() => [Edge], { description: "The items with their cursors." })
    async edges(): Promise<Edge[]> {
      const { items } = await this.#load();
      return items.map((item) => new Edge(toView(item), this.#cursor(item)));
    }

    @Field(() => [nodeType], { description: "The items." })
    async nodes(): Promise<View[]> {
      return (await this.#load()).items.map(toView);
    }

    @Field(() => PageInfo, { description: "Where this page lies in the list." })
    async pageInfo(): Promise<PageInfo> {
      const { items, hasMore } = await this.#load();
      const { from, after, before } = this.#request;
      const first = items.at(0);
      const last = items.at(-1);
      return new PageInfo({
        // Against the direction of paging, the cursor that the page starts from stands for what lies beyond it.
        hasNextPage: from === "start" ? hasMore : before !== null,
        hasPreviousPage: from === "end" ? hasMore : after !== null,
        startCursor: first === undefined ? null : this.#cursor(first),
        endCursor: last === undefined ? null : this.#cursor(last),
      });
    }

    @Field(() => Int, { description: "How many items the whole list has; counted only when asked for." })
    async totalCount(): Promise<number> {
      return this.#source.count();
    }

    #cursor(item: Item): string {
      return toCursor(this.#source.sort.field, this.#source.positionOf(item));
    }

    async #load(): Promise<Page<Item>> {
      this.#page ??= this.#source.load(this.#request);
      return this.#page;
    }
  }

  return Connection;
}
