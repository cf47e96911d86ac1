import { GraphQLJSON } from "graphql-scalars";
import { Field, InputType, registerEnumType } from "type-graphql";
import { parseText } from "../../domain/shared/text-field.js";
import type { UserGroupFilter, UserGroupSortField } from "../../domain/user-groups/list.js";
import { parseProperties } from "../../domain/user-groups/properties.js";
import { DataSourceBy, parseDataSourceBy } from "../data-sources/by.js";
import { DateTimeRangeInput, parseProvidedIds, parseTimeRange } from "../shared/filter-inputs.js";
import { OrderDirection, type OrderDirectionValue } from "../shared/order-direction-enum.js";

const UserGroupOrderField = {
  TEAM_ID: "teamId",
  PROVIDED_ID: "providedId",
  NAME: "name",
  CREATED_AT: "createdAt",
  UPDATED_AT: "updatedAt",
} as const satisfies Record<string, UserGroupSortField>;

registerEnumType(UserGroupOrderField, {
  name: "UserGroupOrderField",
  description: "What a list of user groups is sorted by.",
  valuesConfig: {
    TEAM_ID: { description: "The internal id: the order of creation, roughly." },
    PROVIDED_ID: { description: "Your own id, by code points." },
    NAME: { description: "The name, by code points." },
    CREATED_AT: { description: "When the group was created." },
    UPDATED_AT: { description: "When the group last changed; a change moves it while you page." },
  },
});

@InputType("UserGroupOrder", { description: "How a list of user groups is sorted." })
export class UserGroupOrder {
  @Field(() => UserGroupOrderField, { description: "What the list is sorted by." })
  readonly field!: UserGroupSortField;

  @Field(() => OrderDirection, { defaultValue: OrderDirection.ASC, description: "Which end comes first." })
  readonly direction!: OrderDirectionValue;
}

@InputType("UserGroupFilter", { description: "Only user groups that meet all of these." })
export class UserGroupFilterInput {
  @Field(() => [String], {
    nullable: true,
    description: "Those with one of these ids of yours; at most 1,000.",
  })
  readonly providedIds?: string[] | null;

  @Field(() => String, { nullable: true, description: "Those whose name has this part, whatever its case." })
  readonly nameContains?: string | null;

  @Field(() => String, { nullable: true, description: "Those whose name begins so, whatever its case." })
  readonly nameStartsWith?: string | null;

  @Field(() => DataSourceBy, {
    nullable: true,
    description: "Those mapped to this data source; together with schemaId, for that schema.",
  })
  readonly dataSource?: DataSourceBy | null;

  @Field(() => String, { nullable: true, description: "Those whose mapping has this schema." })
  readonly schemaId?: string | null;

  @Field(() => DateTimeRangeInput, { nullable: true, description: "Those created in this time." })
  readonly createdAt?: DateTimeRangeInput | null;

  @Field(() => DateTimeRangeInput, { nullable: true, description: "Those last changed in this time." })
  readonly updatedAt?: DateTimeRangeInput | null;

  @Field(() => GraphQLJSON, {
    nullable: true,
    description: "Those whose properties contain this JSON object: its keys and values at the same places.",
  })
  readonly properties?: unknown;
}

/** Reads a filter; what is null or absent is no condition. @throws DomainError `invalid_field` */
export function parseUserGroupFilter(filter: UserGroupFilterInput | null | undefined): UserGroupFilter {
  if (!filter) return {};
  const { nameContains, nameStartsWith, dataSource, schemaId, createdAt, updatedAt } = filter;
  const properties = parseProperties(filter.properties ?? null, ["filter", "properties"]);
  const text = (value: string, name: string) => parseText(value, ["filter", name]);
  return {
    ...parseProvidedIds(filter.providedIds),
    ...(nameContains ? { nameContains: text(nameContains, "nameContains") } : {}),
    ...(nameStartsWith ? { nameStartsWith: text(nameStartsWith, "nameStartsWith") } : {}),
    ...(dataSource ? { dataSource: parseDataSourceBy(dataSource, ["filter", "dataSource"]) } : {}),
    ...(typeof schemaId === "string" ? { schemaId: text(schemaId, "schemaId") } : {}),
    ...(createdAt ? { createdAt: parseTimeRange(createdAt, "createdAt") } : {}),
    ...(updatedAt ? { updatedAt: parseTimeRange(updatedAt, "updatedAt") } : {}),
    ...(properties ? { properties } : {}),
  };
}
