import { GraphQLJSON } from "graphql-scalars";
import { Field, InputType } from "type-graphql";
import { parseText } from "../../domain/shared/text-field.js";
import type { UserGroupFilter, UserGroupSortField } from "../../domain/user-groups/list.js";
import { parseProperties } from "../../domain/user-groups/properties.js";
import { DataSourceBy, parseDataSourceBy } from "../data-sources/by.js";
import { DateTimeRangeInput, parseTimeRange } from "../shared/filter-inputs.js";
import { createOrderInput, NamedItemFilter, parseNamedItemFilter } from "../shared/list-inputs.js";

export const UserGroupOrder = createOrderInput<UserGroupSortField>("UserGroupOrder", "user groups", {
  TEAM_ID: ["teamId", "The internal id: the order of creation, roughly."],
  PROVIDED_ID: ["providedId", "Your own id, by code points."],
  NAME: ["name", "The name, by code points."],
  CREATED_AT: ["createdAt", "When the group was created."],
  UPDATED_AT: ["updatedAt", "When the group last changed; a change moves it while you page."],
});

@InputType("UserGroupFilter", { description: "Only user groups that meet all of these." })
export class UserGroupFilterInput extends NamedItemFilter {
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

/** Parses a filter; null or absent conditions are omitted. @throws DomainError `invalid_field` */
export function parseUserGroupFilter(filter: UserGroupFilterInput | null | undefined): UserGroupFilter {
  if (!filter) return {};
  const { nameStartsWith, dataSource, schemaId, createdAt, updatedAt } = filter;
  const properties = parseProperties(filter.properties ?? null, ["filter", "properties"]);
  const text = (value: string, name: string) => parseText(value, ["filter", name]);
  return {
    ...parseNamedItemFilter(filter),
    ...(nameStartsWith ? { nameStartsWith: text(nameStartsWith, "nameStartsWith") } : {}),
    ...(dataSource ? { dataSource: parseDataSourceBy(dataSource, ["filter", "dataSource"]) } : {}),
    ...(typeof schemaId === "string" ? { schemaId: text(schemaId, "schemaId") } : {}),
    ...(createdAt ? { createdAt: parseTimeRange(createdAt, "createdAt") } : {}),
    ...(updatedAt ? { updatedAt: parseTimeRange(updatedAt, "updatedAt") } : {}),
    ...(properties ? { properties } : {}),
  };
}
