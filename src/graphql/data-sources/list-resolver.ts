import { Arg, Args, Ctx, Query, Resolver } from "type-graphql";
import type { DataSource } from "../../domain/data-sources/data-source.js";
import {
  DATA_SOURCE_SORT_KINDS,
  type DataSourceSortField,
  sortValueOf,
} from "../../domain/data-sources/list.js";
import type { SortOrder } from "../../domain/user-groups/list.js";
import type { Listing } from "../../services/user-groups/listing.js";
import { ConnectionArguments } from "../shared/connection-arguments.js";
import { type GraphqlContext, requireSession } from "../shared/context.js";
import { nullable } from "../shared/nullable.js";
import { DataSourceFilterInput, DataSourceOrder, parseDataSourceFilter } from "./list-inputs.js";
import { DataSourceConnection, DataSourceView } from "./type.js";

type DataSourceSort = SortOrder<DataSourceSortField>;

@Resolver(() => DataSourceView)
export class DataSourceListResolver {
  readonly #listing: Listing;

  constructor(listing: Listing) {
    this.#listing = listing;
  }

  @Query(() => DataSourceConnection, {
    description: "The environment's data sources.",
  })
  dataSources(
    @Args(() => ConnectionArguments) page: ConnectionArguments,
    @Arg("filter", () => DataSourceFilterInput, nullable("Filters the data sources."))
    filterInput: DataSourceFilterInput | null | undefined,
    @Arg(
      "orderBy",
      () => DataSourceOrder,
      nullable("The order of the data sources. Defaults to `DATA_SOURCE_ID`, ascending."),
    )
    orderBy: DataSourceSort | null | undefined,
    @Ctx() context: GraphqlContext,
  ) {
    const { caller } = requireSession(context);
    const order: DataSourceSort = orderBy ?? { field: "dataSourceId", direction: "ascending" };
    const { field } = order;
    const filter = parseDataSourceFilter(filterInput);
    return new DataSourceConnection({
      page,
      sort: { field, kind: DATA_SOURCE_SORT_KINDS[field] },
      positionOf: (source: DataSource) => ({ value: sortValueOf(source, field), id: source.id }),
      load: (request) => this.#listing.dataSources(caller, filter, order, request),
      count: () => this.#listing.countDataSources(caller, filter),
    });
  }
}
