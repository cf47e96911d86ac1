import { Arg, Ctx, Mutation, Resolver } from "type-graphql";
import type { DataSourceService } from "../../services/data-sources/service.js";
import type { GraphqlContext } from "../shared/context.js";
import { mutate } from "../shared/mutation.js";
import { parseDataSourceBy } from "./by.js";
import {
  CreateDataSourceInput,
  DeleteDataSourceInput,
  parseDataSourceUpdate,
  parseNewDataSource,
  UpdateDataSourceInput,
} from "./inputs.js";
import { DataSourcePayload, DeleteDataSourcePayload } from "./payloads.js";

const INPUT = { description: "What to do." };

@Resolver()
export class DataSourceMutations {
  readonly #dataSources: DataSourceService;

  constructor(dataSources: DataSourceService) {
    this.#dataSources = dataSources;
  }

  @Mutation(() => DataSourcePayload, {
    description: "Creates a data source; refused when its provided id is taken.",
  })
  async createDataSource(
    @Arg("input", () => CreateDataSourceInput, INPUT) input: CreateDataSourceInput,
    @Ctx() context: GraphqlContext,
  ): Promise<DataSourcePayload> {
    return mutate(
      context,
      async (writer) => {
        const { providedId, name } = parseNewDataSource(input);
        return new DataSourcePayload(await this.#dataSources.create(writer, providedId, name));
      },
      failedDataSource,
    );
  }

  @Mutation(() => DataSourcePayload, {
    description: "Changes a data source: only the fields that are given.",
  })
  async updateDataSource(
    @Arg("input", () => UpdateDataSourceInput, INPUT) input: UpdateDataSourceInput,
    @Ctx() context: GraphqlContext,
  ): Promise<DataSourcePayload> {
    return mutate(
      context,
      async (writer) => {
        const { ref, changes } = parseDataSourceUpdate(input);
        return new DataSourcePayload(await this.#dataSources.update(writer, ref, changes));
      },
      failedDataSource,
    );
  }

  @Mutation(() => DeleteDataSourcePayload, {
    description: "Deletes a data source; refused while user groups are mapped to it.",
  })
  async deleteDataSource(
    @Arg("input", () => DeleteDataSourceInput, INPUT) input: DeleteDataSourceInput,
    @Ctx() context: GraphqlContext,
  ): Promise<DeleteDataSourcePayload> {
    return mutate(
      context,
      async (writer) =>
        new DeleteDataSourcePayload(await this.#dataSources.delete(writer, parseDataSourceBy(input.by))),
      (userErrors) => new DeleteDataSourcePayload(null, userErrors),
    );
  }
}

function failedDataSource(userErrors: DataSourcePayload["userErrors"]): DataSourcePayload {
  return new DataSourcePayload(null, userErrors);
}
