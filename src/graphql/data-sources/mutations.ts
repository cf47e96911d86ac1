import { Ctx, Mutation, Resolver } from "type-graphql";
import type { GraphqlContext } from "../shared/context.js";
import { mutate } from "../shared/mutation.js";
import { toNodeId } from "../shared/node-id.js";
import { Input } from "../shared/payload.js";
import { parseDataSourceBy } from "./by.js";
import {
  CreateDataSourceInput,
  DeleteDataSourceInput,
  parseDataSourceUpdate,
  parseNewDataSource,
  UpdateDataSourceInput,
} from "./inputs.js";
import { CreateDataSourcePayload, DeleteDataSourcePayload, UpdateDataSourcePayload } from "./payloads.js";
import { DataSourceView } from "./type.js";

@Resolver()
export class DataSourceMutations {
  @Mutation(() => CreateDataSourcePayload, {
    description: "Creates a data source. Fails if its external ID is taken.",
  })
  async createDataSource(
    @Input(() => CreateDataSourceInput) input: CreateDataSourceInput,
    @Ctx() context: GraphqlContext,
  ): Promise<object> {
    return mutate(context, CreateDataSourcePayload, async (writer, { dataSources }) => {
      const { providedId, name } = parseNewDataSource(input);
      return { dataSource: new DataSourceView(await dataSources.create(writer, providedId, name)) };
    });
  }

  @Mutation(() => UpdateDataSourcePayload, {
    description: "Updates a data source. Omitted fields keep their values.",
  })
  async updateDataSource(
    @Input(() => UpdateDataSourceInput) input: UpdateDataSourceInput,
    @Ctx() context: GraphqlContext,
  ): Promise<object> {
    return mutate(context, UpdateDataSourcePayload, async (writer, { dataSources }) => {
      const { ref, changes } = parseDataSourceUpdate(input);
      return { dataSource: new DataSourceView(await dataSources.update(writer, ref, changes)) };
    });
  }

  @Mutation(() => DeleteDataSourcePayload, {
    description: "Deletes a data source. Fails while user groups are mapped to it.",
  })
  async deleteDataSource(
    @Input(() => DeleteDataSourceInput) input: DeleteDataSourceInput,
    @Ctx() context: GraphqlContext,
  ): Promise<object> {
    return mutate(context, DeleteDataSourcePayload, async (writer, { dataSources }) => {
      const { id } = await dataSources.delete(writer, parseDataSourceBy(input.by));
      return { deletedDataSourceId: toNodeId("DataSource", id) };
    });
  }
}
