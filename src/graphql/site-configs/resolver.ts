import { Arg, Args, Ctx, FieldResolver, Int, Query, Resolver, Root } from "type-graphql";
import { invalidField } from "../../domain/shared/errors.js";
import type { JsonPatchOperation } from "../../domain/site-configs/json-diff.js";
import { sitePath } from "../../domain/site-configs/site-address.js";
import { parseSite, type SiteConfigRevision } from "../../domain/site-configs/site-config.js";
import { loadAuthor } from "../accounts/api-key-loaders.js";
import { ApiKeyView } from "../accounts/api-key-types.js";
import { type GraphqlContext, requireSession } from "../shared/context.js";
import { ConnectionArguments } from "../shared/list-inputs.js";
import { nullable } from "../shared/nullable.js";
import { GraphQLJSON } from "../shared/raw-json.js";
import { parseSource, SITE, SiteConfigSource, STRICT } from "./inputs.js";
import { siteConfigs } from "./loaders.js";
import { SiteConfigReportView } from "./report-type.js";
import { SiteConfigRevisionConnection, SiteConfigRevisionView, SiteConfigView } from "./type.js";

@Resolver(() => SiteConfigView)
export class SiteConfigResolver {
  @Query(() => SiteConfigView, nullable("A site's configuration; null if it does not exist."))
  async siteConfig(
    @Arg("site", () => String, SITE) site: string,
    @Ctx() context: GraphqlContext,
  ): Promise<SiteConfigView | null> {
    const { loaders } = requireSession(context);
    const siteConfig = await siteConfigs(loaders).bySite.load(parseSite(site, ["site"]));
    return siteConfig && new SiteConfigView(siteConfig);
  }

  @Query(() => SiteConfigReportView, {
    description: "Validates a site configuration without storing it.",
  })
  async validateSiteConfig(
    @Arg("source", () => SiteConfigSource, { description: "The configuration to validate." })
    submitted: SiteConfigSource,
    @Arg("strict", () => Boolean, STRICT) strict: boolean | null,
    @Ctx() context: GraphqlContext,
  ): Promise<SiteConfigReportView> {
    const { budget } = requireSession(context).loaders;
    const { source, size } = parseSource(submitted);
    budget.spendBytes(size);
    const report = await context.services.siteConfigs.check(source, { strict: strict === true }, budget);
    return new SiteConfigReportView(report, budget);
  }

  @FieldResolver(
    () => String,
    nullable(
      "The path and query string at which anyone can read the document from this service; null if the site is not public.",
    ),
  )
  publicPath(@Root() { isPublic, site }: SiteConfigView, @Ctx() context: GraphqlContext) {
    return isPublic ? sitePath(site, requireSession(context).caller) : null;
  }

  @FieldResolver(() => SiteConfigRevisionConnection, { description: "All revisions, newest first." })
  revisions(
    @Root() { siteConfigId, revision }: SiteConfigView,
    @Args(() => ConnectionArguments) page: ConnectionArguments,
    @Ctx() context: GraphqlContext,
  ) {
    const { loaders } = requireSession(context);
    return new SiteConfigRevisionConnection({
      context,
      page,
      sort: { field: "revision", kind: "revision" },
      positionOf: ({ revision: number }: SiteConfigRevision) => ({ value: number, id: number }),
      load: async (request) =>
        loaders.budget.spendPage(await siteConfigs(loaders).revisionPages.load(siteConfigId, request)),
      // Revisions are numbered from 1 without gaps.
      count: async () => revision,
    });
  }

  @FieldResolver(() => SiteConfigRevisionView, nullable("A revision; null if it does not exist."))
  async atRevision(
    @Root() { siteConfigId }: SiteConfigView,
    @Arg("revision", () => Int, { description: "The revision number." }) revision: number,
    @Ctx() context: GraphqlContext,
  ): Promise<SiteConfigRevisionView | null> {
    const { loaders } = requireSession(context);
    const found = await siteConfigs(loaders).revisions.load({ siteConfigId, revision });
    return found && new SiteConfigRevisionView(found);
  }

  @FieldResolver(
    () => GraphQLJSON,
    nullable(
      "The difference between two revisions, as a JSON Patch (RFC 6902) that turns one into the other; null only if there is an error.",
    ),
  )
  async diff(
    @Root() { siteConfigId, revision }: SiteConfigView,
    @Arg("from", () => Int, { description: "The number of the revision to start from." }) from: number,
    @Arg(
      "to",
      () => Int,
      nullable("The number of the revision to compare with. Defaults to the current revision."),
    )
    to: number | null | undefined,
    @Ctx() context: GraphqlContext,
  ): Promise<readonly JsonPatchOperation[]> {
    const loader = siteConfigs(requireSession(context).loaders);
    const find = async (field: string, number: number) => {
      const found = await loader.revisions.load({ siteConfigId, revision: number });
      if (found) return found;
      throw invalidField([field], `must be the number of a revision, from 1 to ${revision}`);
    };
    return loader.diff(...(await Promise.all([find("from", from), find("to", to ?? revision)])));
  }
}

@Resolver(() => SiteConfigRevisionView)
export class SiteConfigRevisionResolver {
  @FieldResolver(
    () => ApiKeyView,
    nullable(
      "The author's API key; null for changes made directly in the database, and, without an error, if the caller's API key lacks admin scope.",
    ),
  )
  async author(
    @Root() { authorKeyId }: SiteConfigRevisionView,
    @Ctx() context: GraphqlContext,
  ): Promise<ApiKeyView | null> {
    return loadAuthor(requireSession(context), authorKeyId);
  }
}
