import { Arg, Ctx, Mutation, Resolver } from "type-graphql";
import { invalidField } from "../domain/errors.js";
import { parseSite } from "../domain/site-config/site-config.js";
import type { SiteConfigService } from "../services/site-config-service.js";
import { type GraphqlContext, requireSession } from "./context.js";
import { mutate } from "./mutation.js";
import {
  PatchSiteConfigInput,
  PutSiteConfigInput,
  parseChangeOptions,
  parseDocument,
  parseSource,
  RestoreSiteConfigInput,
  SetSiteConfigVisibilityInput,
} from "./site-config-inputs.js";
import { SiteConfigPayload } from "./site-config-payload.js";

const INPUT = { description: "What to do." };

@Resolver()
export class SiteConfigMutations {
  readonly #siteConfigs: SiteConfigService;

  constructor(siteConfigs: SiteConfigService) {
    this.#siteConfigs = siteConfigs;
  }

  @Mutation(() => SiteConfigPayload, {
    description: "Stores a site configuration as a new revision, unless it has errors.",
  })
  async putSiteConfig(
    @Arg("input", () => PutSiteConfigInput, INPUT) input: PutSiteConfigInput,
    @Ctx() context: GraphqlContext,
  ): Promise<SiteConfigPayload> {
    return mutate(
      context,
      async (writer) => {
        const site = parseSite(input.site, ["site"]);
        const source = parseSource(input);
        const options = { ...parseChangeOptions(input), isPublic: input.public ?? null };
        const size = Buffer.byteLength("text" in source ? source.text : JSON.stringify(source.document));
        requireSession(context).loaders.spendBytes(size);
        const outcome = await this.#siteConfigs.put(writer, site, source, options);
        return SiteConfigPayload.of(outcome, ["text" in source ? "text" : "document"]);
      },
      SiteConfigPayload.failed,
    );
  }

  @Mutation(() => SiteConfigPayload, {
    description:
      "Changes parts of a site configuration, which gives a new revision, unless it has errors. What the patch does not name stays as it is written.",
  })
  async patchSiteConfig(
    @Arg("input", () => PatchSiteConfigInput, INPUT) input: PatchSiteConfigInput,
    @Ctx() context: GraphqlContext,
  ): Promise<SiteConfigPayload> {
    return mutate(
      context,
      async (writer) => {
        const site = parseSite(input.site, ["site"]);
        const patch = parseDocument(input.patch, ["patch"]);
        const options = parseChangeOptions(input);
        await spendOn(site, context);
        return SiteConfigPayload.of(await this.#siteConfigs.patch(writer, site, patch, options), ["patch"]);
      },
      SiteConfigPayload.failed,
    );
  }

  @Mutation(() => SiteConfigPayload, {
    description: "Brings an earlier revision of a site configuration back, as a new one.",
  })
  async restoreSiteConfig(
    @Arg("input", () => RestoreSiteConfigInput, INPUT) input: RestoreSiteConfigInput,
    @Ctx() context: GraphqlContext,
  ): Promise<SiteConfigPayload> {
    return mutate(
      context,
      async (writer) => {
        const site = parseSite(input.site, ["site"]);
        const options = parseChangeOptions(input);
        if (input.revision < 1) throw invalidField(["revision"], "must be 1 or more");
        await spendOn(site, context);
        const outcome = await this.#siteConfigs.restore(writer, site, input.revision, options);
        return SiteConfigPayload.of(outcome, ["revision"]);
      },
      SiteConfigPayload.failed,
    );
  }

  @Mutation(() => SiteConfigPayload, {
    description: "Opens a site configuration to everybody over HTTP, or closes it. This is no new revision.",
  })
  async setSiteConfigVisibility(
    @Arg("input", () => SetSiteConfigVisibilityInput, INPUT) input: SetSiteConfigVisibilityInput,
    @Ctx() context: GraphqlContext,
  ): Promise<SiteConfigPayload> {
    return mutate(
      context,
      async (writer) => {
        const site = parseSite(input.site, ["site"]);
        return SiteConfigPayload.unchecked(await this.#siteConfigs.setPublic(writer, site, input.public));
      },
      SiteConfigPayload.failed,
    );
  }
}

/** Counts the work on a stored document, of which a short request can ask for much. */
async function spendOn(site: string, context: GraphqlContext): Promise<void> {
  const { loaders } = requireSession(context);
  const current = await loaders.siteConfigs.bySite.load(site);
  if (current) loaders.spendBytes(current.size);
}
