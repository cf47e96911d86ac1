import { ArgsType, Field, InputType } from "type-graphql";
import { parseText } from "../../domain/shared/text-field.js";
import { SITE_CONFIG_ORDER, type SiteConfigFilter } from "../../domain/site-configs/list.js";
import {
  createListArguments,
  createOrderInput,
  DateTimeRangeInput,
  parseTimeRange,
} from "../shared/list-inputs.js";
import { nullable } from "../shared/nullable.js";

@InputType("SiteConfigFilter", {
  description: "Filters site configurations, which must meet all conditions.",
})
class SiteConfigFilterInput {
  @Field(() => String, nullable("Sites whose name starts with this text, case-sensitive."))
  readonly siteStartsWith?: string | null;

  @Field(() => DateTimeRangeInput, nullable("Sites whose current revision was stored in this time range."))
  readonly updatedAt?: DateTimeRangeInput | null;
}

@ArgsType()
export class SiteConfigArguments extends createListArguments(
  "site configurations",
  SiteConfigFilterInput,
  createOrderInput("SiteConfigOrder", "site configurations", SITE_CONFIG_ORDER),
) {}

/** Parses a filter; null or absent conditions are omitted. @throws DomainError `invalid_field` */
export function parseSiteConfigFilter(filter: SiteConfigFilterInput | null | undefined): SiteConfigFilter {
  const { siteStartsWith, updatedAt } = filter ?? {};
  return {
    ...(siteStartsWith ? { siteStartsWith: parseText(siteStartsWith, ["filter", "siteStartsWith"]) } : {}),
    ...(updatedAt ? { updatedAt: parseTimeRange(updatedAt, "updatedAt") } : {}),
  };
}
