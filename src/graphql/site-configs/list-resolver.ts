import { Args, ArgsType, Ctx, Field, InputType, Query, Resolver } from "type-graphql";
import { parseText } from "../../domain/shared/text-field.js";
import { SITE_CONFIG_ORDER, type SiteConfigFilter } from "../../domain/site-configs/list.js";
import { sourceOf } from "../shared/connection-type.js";
import type { GraphqlContext } from "../shared/context.js";
import {
  createListArguments,
  createOrderInput,
  DateTimeRangeInput,
  parseTimeRange,
} from "../shared/list-inputs.js";
import { nullable } from "../shared/nullable.js";
import { SiteConfigConnection } from "./type.js";

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
class SiteConfigArguments extends createListArguments(
  "site configurations",
  SiteConfigFilterInput,
  createOrderInput("SiteConfigOrder", "site configurations", SITE_CONFIG_ORDER),
) {}

@Resolver()
export class SiteConfigListResolver {
  @Query(() => SiteConfigConnection, { description: "The environment's site configurations." })
  siteConfigs(@Args(() => SiteConfigArguments) list: SiteConfigArguments, @Ctx() context: GraphqlContext) {
    const filter = parseSiteConfigFilter(list.filter);
    return new SiteConfigConnection(sourceOf(context.services.siteConfigReader.list, context, list, filter));
  }
}

/** Parses a filter; null or absent conditions are omitted. @throws DomainError `invalid_field` */
function parseSiteConfigFilter(filter: SiteConfigFilterInput | null | undefined): SiteConfigFilter {
  const { siteStartsWith, updatedAt } = filter ?? {};
  return {
    ...(siteStartsWith ? { siteStartsWith: parseText(siteStartsWith, ["filter", "siteStartsWith"]) } : {}),
    ...(updatedAt ? { updatedAt: parseTimeRange(updatedAt, "updatedAt") } : {}),
  };
}
