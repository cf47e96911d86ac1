import { Field, InputType } from "type-graphql";
import type { DataSourceRef } from "../../domain/data-sources/data-source.js";
import { parseFields } from "../../domain/shared/field-parsing.js";
import { parseText } from "../../domain/shared/text-field.js";
import { DataSourceBy, parseDataSourceBy } from "./by.js";

@InputType("CreateDataSourceInput", { description: "A new data source." })
export class CreateDataSourceInput {
  @Field(() => String, { description: "Your own id of the data source, unique in the environment." })
  readonly providedId!: string;

  @Field(() => String, { description: "The name." })
  readonly name!: string;
}

@InputType("UpdateDataSourceInput", {
  description: "Changes to a data source: fields that are absent stay as they are.",
})
export class UpdateDataSourceInput {
  @Field(() => DataSourceBy, { description: "The data source to change." })
  readonly by!: DataSourceBy;

  @Field(() => String, { nullable: true, description: "The new provided id; null is refused." })
  readonly providedId?: string | null;

  @Field(() => String, { nullable: true, description: "The new name; null is refused." })
  readonly name?: string | null;
}

@InputType("DeleteDataSourceInput", { description: "The data source to delete." })
export class DeleteDataSourceInput {
  @Field(() => DataSourceBy, { description: "The data source; it must not be in use by any mapping." })
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
