import { Field, InputType } from "type-graphql";
import type { DataSourceRef } from "../../domain/data-sources/data-source.js";
import { parseFields } from "../../domain/shared/field-parsing.js";
import { parseText } from "../../domain/shared/text-field.js";
import { nullable } from "../shared/nullable.js";
import { DataSourceBy, parseDataSourceBy } from "./by.js";

@InputType("CreateDataSourceInput", { description: "Input for `createDataSource`." })
export class CreateDataSourceInput {
  @Field(() => String, { description: "The data source's external ID, unique within its environment." })
  readonly providedId!: string;

  @Field(() => String, { description: "The data source's name." })
  readonly name!: string;
}

@InputType("UpdateDataSourceInput", {
  description: "Input for `updateDataSource`. Omitted fields keep their values.",
})
export class UpdateDataSourceInput {
  @Field(() => DataSourceBy, { description: "The data source to update." })
  readonly by!: DataSourceBy;

  @Field(() => String, nullable("The new external ID. Must not be null."))
  readonly providedId?: string | null;

  @Field(() => String, nullable("The new name. Must not be null."))
  readonly name?: string | null;
}

@InputType("DeleteDataSourceInput", { description: "Input for `deleteDataSource`." })
export class DeleteDataSourceInput {
  @Field(() => DataSourceBy, { description: "The data source to delete. No mapping may use it." })
  readonly by!: DataSourceBy;
}

/** @throws DomainError `invalid_field` */
export function parseNewDataSource(input: CreateDataSourceInput) {
  return parseFields({
    providedId: () => parseText(input.providedId, ["providedId"]),
    name: () => parseText(input.name, ["name"]),
  });
}

/** @throws DomainError `invalid_field` */
export function parseDataSourceUpdate({ by, providedId, name }: UpdateDataSourceInput) {
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
