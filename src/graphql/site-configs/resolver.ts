import { GraphQLJSON } from "graphql-scalars";
import { Arg, Args, Ctx, FieldResolver, Int, Query, Resolver, Root } from "type-graphql";
import { invalidField } from "../../domain/shared/errors.js";
import type { JsonPatchOperation } from "../../domain/site-configs/document/json-diff.js";
import { sitePath } from "../../domain/site-configs/site-address.js";
import {
  parseSite,
  type SiteConfig,
  type SiteConfigRevision,
} from "../../domain/site-configs/site-config.js";
import type { SiteConfigReader } from "../../services/site-configs/reader.js";
import { ConnectionArguments } from "../shared/connection-arguments.js";
import { type GraphqlContext, requireSession } from "../shared/context.js";
import { parseSource, SITE, STRICT } from "./inputs.js";
import { siteConfigs } from "./loaders.js";
import { SiteConfigReportView } from "./report-type.js";
import {
  SiteConfigConnection,
  SiteConfigRevisionConnection,
  SiteConfigRevisionView,
  SiteConfigView,
} from "./type.js";

@Resolver(() => SiteConfigView)
export class SiteConfigResolver {
  readonly #reader: SiteConfigReader;

  constructor(reader: SiteConfigReader) {
    this.#reader = reader;
  }

  @Query(() => SiteConfigView, {
    nullable: true,
    description: "The configuration of one site; null when there is none.",
  })
  async siteConfig(
    @Arg("site", () => String, SITE) site: string | null,
    @Ctx() context: GraphqlContext,
  ): Promise<SiteConfigView | null> {
    const { loaders } = requireSession(context);
    const siteConfig = await siteConfigs(loaders).bySite.load(parseSite(site, ["site"]));
    return siteConfig && new SiteConfigView(siteConfig);
  }

  @Query(() => SiteConfigConnection, {
    description: "The site configurations of the environment, by the names of the sites.",
  })
  siteConfigs(@Args(() => ConnectionArguments) page: ConnectionArguments, @Ctx() context: GraphqlContext) {
    const { caller } = requireSession(context);
    return new SiteConfigConnection({
      page,
      sort: { field: "site", kind: "text" },
      positionOf: ({ site, id }: SiteConfig) => ({ value: site, id }),
      load: (request) => this.#reader.list(caller, request),
      count: () => this.#reader.count(caller),
    });
  }

  @Query(() => SiteConfigReportView, {
    description: "Checks a site configuration, given as text or as a document, without storing it.",
  })
  async validateSiteConfig(
    @Arg("document", () => GraphQLJSON, { nullable: true, description: "The configuration as JSON." })
    document: unknown,
    @Arg("text", () => String, {
      nullable: true,
      description: "The configuration as the text of its file: findings then have line and column.",
    })
    text: string | null | undefined,
    @Arg("strict", () => Boolean, STRICT) strict: boolean | null,
    @Ctx() context: GraphqlContext,
  ): Promise<SiteConfigReportView> {
    const { loaders } = requireSession(context);
    const { budget } = loaders;
    const { source, size } = parseSource({ document, text });
    budget.spendBytes(size);
    const report = await siteConfigs(loaders).work.run("check", { source, strict: strict === true });
    return new SiteConfigReportView(report, budget);
  }

  @FieldResolver(() => String, {
    nullable: true,
    description:
      "Path and query by which everybody reads the document from this service; null when the site is not public.",
  })
  publicPath(@Root() { public: isPublic, site }: SiteConfigView, @Ctx() context: GraphqlContext) {
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
      page,
      sort: { field: "revision", kind: "id" },
      positionOf: ({ revision: number }: SiteConfigRevision) => ({ value: number, id: number }),
      load: async (request) => {
        const found = await siteConfigs(loaders).revisionPages.load(siteConfigId, request);
        loaders.budget.spend(found.items.length);
        return found;
      },
      // Revisions are numbered from 1 without gaps.
      count: async () => revision,
    });
  }

  @FieldResolver(() => SiteConfigRevisionView, {
    nullable: true,
    description: "One revision; null when there is none of this number.",
  })
  async atRevision(
    @Root() { siteConfigId }: SiteConfigView,
    @Arg("revision", () => Int, { description: "Its number." }) revision: number,
    @Ctx() context: GraphqlContext,
  ): Promise<SiteConfigRevisionView | null> {
    const { loaders } = requireSession(context);
    const found = await siteConfigs(loaders).revisions.load({ siteConfigId, revision });
    return found && new SiteConfigRevisionView(found);
  }

  @FieldResolver(() => GraphQLJSON, {
    nullable: true,
    description:
      "What changed between two revisions: a JSON patch (RFC 6902), which turns one into the other; null with an error only.",
  })
  async diff(
    @Root() { siteConfigId, revision }: SiteConfigView,
    @Arg("from", () => Int, { description: "The number of the revision to start from." }) from: number,
    @Arg("to", () => Int, {
      nullable: true,
      description: "The number of the other one; the current if absent.",
    })
    to: number | null | undefined,
    @Ctx() context: GraphqlContext,
  ): Promise<readonly JsonPatchOperation[]> {
    const loader = siteConfigs(requireSession(context).loaders);
    const find = async (field: string, number: number) => {
      const found = await loader.revisions.load({ siteConfigId, revision: number });
      if (found) return found;
      throw invalidField([field], `must be a revision of the site, from 1 to ${revision}`);
    };
    return loader.diff(...(await Promise.all([find("from", from), find("to", to ?? revision)])));
  }
}
