import { Arg, Ctx, FieldResolver, Query, Resolver, Root } from "type-graphql";
import { DomainError } from "../domain/errors.js";
import { type GraphqlContext, requireAnySession, requireSession } from "./context.js";
import { DataSourceBy, parseDataSourceBy } from "./data-source-by.js";
import { DataSourceView } from "./data-source-type.js";
import { MappingEntryView } from "./mapping-entry-type.js";

@Resolver(() => MappingEntryView)
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
        ? await loaders.dataSourcesById.load(ref.id)
        : await loaders.dataSourcesByProvidedId.load(ref.providedId);
    return source && new DataSourceView(source);
  }

  @FieldResolver(() => DataSourceView, {
    name: "dataSource",
    description: "The data source that the schema leads to.",
  })
  async dataSourceOfEntry(
    @Root() { dataSourceId }: MappingEntryView,
    @Ctx() context: GraphqlContext,
  ): Promise<DataSourceView> {
    const { loaders } = requireAnySession(context);
    const source = await loaders.dataSourcesById.load(dataSourceId);
    if (source) return new DataSourceView(source);
    // Between the two statements the mapping was changed and the data source deleted.
    throw new DomainError("unavailable", "The mapping changed while it was read. Try again.", {
      retryAfter: 1,
    });
  }
}
