import { Field, ID, InputType, Int, Resolver } from "type-graphql";
import type { Writer } from "../../domain/accounts/caller.js";
import type { DataSourceRef } from "../../domain/data-sources/data-source.js";
import { parseExpectedVersion, parseFields } from "../../domain/shared/field-parsing.js";
import { parseText } from "../../domain/shared/text-field.js";
import type { GraphqlContext } from "../shared/context.js";
import { WriterMutation } from "../shared/mutation.js";
import { OptionalField } from "../shared/mutation-input.js";
import { toNodeId } from "../shared/node.js";
import { nullable, versionGuard } from "../shared/nullable.js";
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

  @OptionalField(() => String, "The new external ID. Must not be null.")
  readonly providedId?: string | null;

  @OptionalField(() => String, "The new name. Must not be null.")
  readonly name?: string | null;

  @Field(() => Int, versionGuard("data source"))
  readonly expectedVersion?: number | null;
}

@InputType("DeleteDataSourceInput", { description: "Input for `deleteDataSource`." })
class DeleteDataSourceInput {
  @Field(() => DataSourceBy, { description: "The data source to delete. No mapping may use it." })
  readonly by!: DataSourceBy;

  @Field(() => Int, versionGuard("data source"))
  readonly expectedVersion?: number | null;
}

const PAYLOAD = {
  dataSource: [() => DataSourceView, nullable("The data source; null if the mutation failed.")],
} as const;

@Resolver()
export class DataSourceMutations {
  @WriterMutation(
    "Creates a data source. Fails if its external ID is taken.",
    () => CreateDataSourceInput,
    PAYLOAD,
  )
  async createDataSource(input: CreateDataSourceInput, writer: Writer, { services }: GraphqlContext) {
    const { providedId, name } = parseFields({
      providedId: () => parseText(input.providedId, ["providedId"]),
      name: () => parseText(input.name, ["name"]),
    });
    return { dataSource: new DataSourceView(await services.dataSources.create(writer, providedId, name)) };
  }

  @WriterMutation(
    "Updates a data source. Omitted fields keep their values.",
    () => UpdateDataSourceInput,
    PAYLOAD,
  )
  async updateDataSource(input: UpdateDataSourceInput, writer: Writer, { services }: GraphqlContext) {
    const { ref, expectedVersion, changes } = parseDataSourceUpdate(input);
    const dataSource = await services.dataSources.update(writer, ref, changes, expectedVersion);
    return { dataSource: new DataSourceView(dataSource) };
  }

  @WriterMutation(
    "Deletes a data source. Fails while user groups are mapped to it.",
    () => DeleteDataSourceInput,
    {
      deletedDataSourceId: [
        () => ID,
        nullable("The global ID of the deleted data source; null if the mutation failed."),
      ],
    },
  )
  async deleteDataSource(input: DeleteDataSourceInput, writer: Writer, { services }: GraphqlContext) {
    const expectedVersion = parseExpectedVersion(input);
    const { id } = await services.dataSources.delete(writer, parseDataSourceBy(input.by), expectedVersion);
    return { deletedDataSourceId: toNodeId("DataSource", id) };
  }
}

/** @throws DomainError `invalid_field` */
function parseDataSourceUpdate(input: UpdateDataSourceInput) {
  const { by, providedId, name } = input;
  const { ref, expectedVersion, ...changes } = parseFields<{
    readonly ref: DataSourceRef;
    readonly expectedVersion: number | undefined;
    readonly providedId?: string;
    readonly name?: string;
  }>({
    ref: () => parseDataSourceBy(by),
    expectedVersion: () => parseExpectedVersion(input),
    ...(providedId === undefined ? {} : { providedId: () => parseText(providedId, ["providedId"]) }),
    ...(name === undefined ? {} : { name: () => parseText(name, ["name"]) }),
  });
  return { ref, expectedVersion, changes };
}
