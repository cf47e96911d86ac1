import { Arg, Args, Ctx, Query, Resolver } from "type-graphql";
import type { DataSourceSortField } from "../../domain/data-sources/list.js";
import type { SortOrder } from "../../domain/shared/pagination.js";
import { ConnectionArguments } from "../shared/connection-arguments.js";
import { sourceOf } from "../shared/connection-type.js";
import { type GraphqlContext, requireSession } from "../shared/context.js";
import { nullable } from "../shared/nullable.js";
import { DataSourceBy, parseDataSourceBy } from "./by.js";
import { DataSourceFilterInput, DataSourceOrder, parseDataSourceFilter } from "./list-inputs.js";
import { dataSourcesById, dataSourcesByProvidedId } from "./loaders.js";
import { DataSourceConnection, DataSourceView } from "./type.js";

@Resolver()
export class DataSourceResolver {
  @Query(() => DataSourceView, nullable("A data source; null if it does not exist."))
  async dataSource(
    @Arg("by", () => DataSourceBy, { description: "Identifies the data source." }) by: DataSourceBy,
    @Ctx() context: GraphqlContext,
  ): Promise<DataSourceView | null> {
    const { loaders } = requireSession(context);
    const ref = parseDataSourceBy(by);
    const source =
      ref.by === "id"
        ? await dataSourcesById(loaders).load(ref.id)
        : await dataSourcesByProvidedId(loaders).load(ref.providedId);
    return source && new DataSourceView(source);
  }

  @Query(() => DataSourceConnection, { description: "The environment's data sources." })
  dataSources(
    @Args(() => ConnectionArguments) page: ConnectionArguments,
    @Arg("filter", () => DataSourceFilterInput, nullable("Filters the data sources."))
    filterInput: DataSourceFilterInput | null | undefined,
    @Arg(
      "orderBy",
      () => DataSourceOrder,
      nullable("The order of the data sources. Defaults to `DATA_SOURCE_ID`, ascending."),
    )
    orderBy: SortOrder<DataSourceSortField> | null | undefined,
    @Ctx() context: GraphqlContext,
  ) {
    const { caller } = requireSession(context);
    const filter = parseDataSourceFilter(filterInput);
    return new DataSourceConnection(
      sourceOf(context.services.dataSources.list, caller, page, { filter, orderBy }),
    );
  }
}
