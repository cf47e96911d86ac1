import { Field, InputType, registerEnumType } from "type-graphql";
import type { DataSourceFilter, DataSourceSortField } from "../../domain/data-sources/list.js";
import { parseText } from "../../domain/shared/text-field.js";
import { parseProvidedIds } from "../shared/filter-inputs.js";
import { OrderDirection, type OrderDirectionValue } from "../shared/order-direction-enum.js";

const DataSourceOrderField = {
  DATA_SOURCE_ID: "dataSourceId",
  PROVIDED_ID: "providedId",
  NAME: "name",
  CREATED_AT: "createdAt",
} as const satisfies Record<string, DataSourceSortField>;

registerEnumType(DataSourceOrderField, {
  name: "DataSourceOrderField",
  description: "What a list of data sources is sorted by.",
  valuesConfig: {
    DATA_SOURCE_ID: { description: "The internal id: the order of creation." },
    PROVIDED_ID: { description: "Your own id, by code points." },
    NAME: { description: "The name, by code points." },
    CREATED_AT: { description: "When the data source was created." },
  },
});

@InputType("DataSourceOrder", { description: "How a list of data sources is sorted." })
export class DataSourceOrder {
  @Field(() => DataSourceOrderField, { description: "What the list is sorted by." })
  readonly field!: DataSourceSortField;

  @Field(() => OrderDirection, { defaultValue: OrderDirection.ASC, description: "Which end comes first." })
  readonly direction!: OrderDirectionValue;
}

@InputType("DataSourceFilter", { description: "Only data sources that meet all of these." })
export class DataSourceFilterInput {
  @Field(() => [String], {
    nullable: true,
    description: "Those with one of these ids of yours; at most 1,000.",
  })
  readonly providedIds?: string[] | null;

  @Field(() => String, { nullable: true, description: "Those whose name has this part, whatever its case." })
  readonly nameContains?: string | null;
}

/** Reads a filter; what is null or absent is no condition. @throws DomainError `invalid_field` */
export function parseDataSourceFilter(filter: DataSourceFilterInput | null | undefined): DataSourceFilter {
  if (!filter) return {};
  return {
    ...parseProvidedIds(filter.providedIds),
    ...(filter.nameContains
      ? { nameContains: parseText(filter.nameContains, ["filter", "nameContains"]) }
      : {}),
  };
}
