import { Arg, Args, Ctx, Query, Resolver } from "type-graphql";
import type { SortOrder } from "../../domain/shared/pagination.js";
import type { SiteConfigSortField } from "../../domain/site-configs/list.js";
import { ConnectionArguments } from "../shared/connection-arguments.js";
import { sourceOf } from "../shared/connection-type.js";
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
    const filter = parseSiteConfigFilter(filterInput);
    return new SiteConfigConnection(
      sourceOf(context.services.siteConfigReader.list, caller, page, { filter, orderBy }),
    );
  }
}
