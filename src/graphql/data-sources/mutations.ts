import { Ctx, Field, ID, InputType, Mutation, Resolver } from "type-graphql";
import type { DataSourceRef } from "../../domain/data-sources/data-source.js";
import { parseFields } from "../../domain/shared/field-parsing.js";
import { parseText } from "../../domain/shared/text-field.js";
import type { GraphqlContext } from "../shared/context.js";
import { mutate } from "../shared/mutation.js";
import { toNodeId } from "../shared/node-id.js";
import { nullable } from "../shared/nullable.js";
import { createPayloadType, Input } from "../shared/payload.js";
import { DataSourceBy, parseDataSourceBy } from "./by.js";
import { DataSourceView } from "./type.js";

@InputType("CreateDataSourceInput", { description: "Input for `createDataSource`." })
class CreateDataSourceInput {
  @Field(() => String, { description: "The data source's external ID, unique within its environment." })
  readonly providedId!: string;

  @Field(() => String, { description: "The data source's name." })
  readonly name!: string;
}

@InputType("UpdateDataSourceInput", {
  description: "Input for `updateDataSource`. Omitted fields keep their values.",
})
class UpdateDataSourceInput {
  @Field(() => DataSourceBy, { description: "The data source to update." })
  readonly by!: DataSourceBy;

  @Field(() => String, nullable("The new external ID. Must not be null."))
  readonly providedId?: string | null;

  @Field(() => String, nullable("The new name. Must not be null."))
  readonly name?: string | null;
}

@InputType("DeleteDataSourceInput", { description: "Input for `deleteDataSource`." })
class DeleteDataSourceInput {
  @Field(() => DataSourceBy, { description: "The data source to delete. No mapping may use it." })
  readonly by!: DataSourceBy;
}

/** @throws DomainError `invalid_field` */
function parseNewDataSource(input: CreateDataSourceInput) {
  return parseFields({
    providedId: () => parseText(input.providedId, ["providedId"]),
    name: () => parseText(input.name, ["name"]),
  });
}

/** @throws DomainError `invalid_field` */
function parseDataSourceUpdate({ by, providedId, name }: UpdateDataSourceInput) {
  const { ref, ...changes } = parseFields<{
    readonly ref: DataSourceRef;
    readonly providedId?: string;
    readonly name?: string;
  }>({
    ref: () => parseDataSourceBy(by),
    ...(providedId === undefined ? {} : { providedId: () => parseText(providedId, ["providedId"]) }),
    ...(name === undefined ? {} : { name: () => parseText(name, ["name"]) }),
  });
  return { ref, changes };
}

interface DataSourceValues {
  readonly dataSource: DataSourceView;
}

const DATA_SOURCE = [() => DataSourceView, "The data source; null if the mutation failed."] as const;

const CreateDataSourcePayload = createPayloadType<DataSourceValues>("createDataSource", {
  dataSource: DATA_SOURCE,
});

const UpdateDataSourcePayload = createPayloadType<DataSourceValues>("updateDataSource", {
  dataSource: DATA_SOURCE,
});

const DeleteDataSourcePayload = createPayloadType<{ readonly deletedDataSourceId: string }>(
  "deleteDataSource",
  {
    deletedDataSourceId: [() => ID, "The global ID of the deleted data source; null if the mutation failed."],
  },
);

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
