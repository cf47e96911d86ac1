import { Arg, Args, Ctx, Query, Resolver } from "type-graphql";
import type { SortOrder } from "../../domain/shared/pagination.js";
import {
  SITE_CONFIG_SORT_KINDS,
  type SiteConfigSortField,
  sortValueOf,
} from "../../domain/site-configs/list.js";
import type { SiteConfig } from "../../domain/site-configs/site-config.js";
import { ConnectionArguments } from "../shared/connection-arguments.js";
import { type GraphqlContext, requireSession } from "../shared/context.js";
import { nullable } from "../shared/nullable.js";
import { parseSiteConfigFilter, SiteConfigFilterInput, SiteConfigOrder } from "./list-inputs.js";
import { SiteConfigConnection } from "./type.js";

@Resolver()
export class SiteConfigListResolver {
  @Query(() => SiteConfigConnection, { description: "The environment's site configurations." })
  siteConfigs(
    @Args(() => ConnectionArguments) page: ConnectionArguments,
    @Arg("filter", () => SiteConfigFilterInput, nullable("Filters the site configurations."))
    filterInput: SiteConfigFilterInput | null | undefined,
    @Arg(
      "orderBy",
      () => SiteConfigOrder,
      nullable("The order of the site configurations. Defaults to `SITE`, ascending."),
    )
    orderBy: SortOrder<SiteConfigSortField> | null | undefined,
    @Ctx() context: GraphqlContext,
  ) {
    const { caller } = requireSession(context);
    const order = orderBy ?? { field: "site", direction: "ascending" };
    const { field } = order;
    const filter = parseSiteConfigFilter(filterInput);
    return new SiteConfigConnection({
      page,
      sort: { field, kind: SITE_CONFIG_SORT_KINDS[field] },
      positionOf: (siteConfig: SiteConfig) => ({
        value: sortValueOf(siteConfig, field),
        id: siteConfig.id,
      }),
      load: (request) => context.services.siteConfigReader.list(caller, filter, order, request),
      count: () => context.services.siteConfigReader.count(caller, filter),
    });
  }
}
