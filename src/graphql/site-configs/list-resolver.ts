import { Args, Ctx, Query, Resolver } from "type-graphql";
import { sourceOf } from "../shared/connection-type.js";
import { type GraphqlContext, requireSession } from "../shared/context.js";
import { parseSiteConfigFilter, SiteConfigArguments } from "./list-inputs.js";
import { SiteConfigConnection } from "./type.js";

@Resolver()
export class SiteConfigListResolver {
  @Query(() => SiteConfigConnection, { description: "The environment's site configurations." })
  siteConfigs(@Args(() => SiteConfigArguments) list: SiteConfigArguments, @Ctx() context: GraphqlContext) {
    const { caller } = requireSession(context);
    const filter = parseSiteConfigFilter(list.filter);
    return new SiteConfigConnection(sourceOf(context.services.siteConfigReader.list, caller, list, filter));
  }
}
