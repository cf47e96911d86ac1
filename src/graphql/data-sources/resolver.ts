import { Arg, Args, ArgsType, Ctx, InputType, Query, Resolver } from "type-graphql";
import { DATA_SOURCE_ORDER } from "../../domain/data-sources/data-source.js";
import { sourceOf } from "../shared/connection-type.js";
import { type GraphqlContext, requireSession } from "../shared/context.js";
import {
  createListArguments,
  createOrderInput,
  NamedItemFilter,
  parseNamedItemFilter,
} from "../shared/list-inputs.js";
import { nullable } from "../shared/nullable.js";
import { DataSourceBy, loadDataSource, parseDataSourceBy } from "./by.js";
import { DataSourceConnection, DataSourceView } from "./type.js";

@InputType("DataSourceFilter", { description: "Filters data sources, which must meet all conditions." })
class DataSourceFilterInput extends NamedItemFilter {}

@ArgsType()
class DataSourceArguments extends createListArguments(
  "data sources",
  DataSourceFilterInput,
  createOrderInput("DataSourceOrder", "data sources", DATA_SOURCE_ORDER),
) {}

@Resolver()
export class DataSourceResolver {
  @Query(() => DataSourceView, nullable("A data source; null if it does not exist."))
  async dataSource(
    @Arg("by", () => DataSourceBy, { description: "Identifies the data source." }) by: DataSourceBy,
    @Ctx() context: GraphqlContext,
  ): Promise<DataSourceView | null> {
    const { loaders } = requireSession(context);
    const source = await loadDataSource(loaders, parseDataSourceBy(by));
    return source && new DataSourceView(source);
  }

  @Query(() => DataSourceConnection, { description: "The environment's data sources." })
  dataSources(@Args(() => DataSourceArguments) list: DataSourceArguments, @Ctx() context: GraphqlContext) {
    const filter = list.filter ? parseNamedItemFilter(list.filter) : {};
    return new DataSourceConnection(sourceOf(context.services.dataSources.list, context, list, filter));
  }
}
