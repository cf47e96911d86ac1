import { Arg, Ctx, Query, Resolver } from "type-graphql";
import { type GraphqlContext, requireSession } from "../shared/context.js";
import { DataSourceBy, parseDataSourceBy } from "./by.js";
import { dataSourcesById, dataSourcesByProvidedId } from "./loaders.js";
import { DataSourceView } from "./type.js";

@Resolver()
export class DataSourceResolver {
  @Query(() => DataSourceView, { nullable: true, description: "One data source; null when there is none." })
  async dataSource(
    @Arg("by", () => DataSourceBy, { description: "Names the data source." }) by: DataSourceBy,
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
