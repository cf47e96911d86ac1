import { Arg, Ctx, Query, Resolver } from "type-graphql";
import { type GraphqlContext, requireSession } from "../shared/context.js";
import { nullable } from "../shared/nullable.js";
import { DataSourceBy, parseDataSourceBy } from "./by.js";
import { dataSourcesById, dataSourcesByProvidedId } from "./loaders.js";
import { DataSourceView } from "./type.js";

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
}
