import { Ctx, Mutation, Resolver } from "type-graphql";
import { invalidField } from "../../domain/shared/errors.js";
import { parseFields } from "../../domain/shared/field-parsing.js";
import { serializeJson } from "../../domain/site-configs/document-source.js";
import { type Editor, parseSite } from "../../domain/site-configs/site-config.js";
import type { Services } from "../../services/services.js";
import { type GraphqlContext, requireSession } from "../shared/context.js";
import type { Loaders } from "../shared/loaders.js";
import { mutate } from "../shared/mutation.js";
import { Input } from "../shared/payload.js";
import {
  PatchSiteConfigInput,
  PutSiteConfigInput,
  parseChangeOptions,
  parseSource,
  RestoreSiteConfigInput,
  SetSiteConfigVisibilityInput,
} from "./inputs.js";
import { siteConfigs } from "./loaders.js";
import { SiteConfigPayload, type SiteConfigValues, viewOutcome } from "./payload.js";
import { SiteConfigView } from "./type.js";

@Resolver()
export class SiteConfigMutations {
  @Mutation(() => SiteConfigPayload, {
    description: "Stores a site configuration as a new revision. Fails if it has errors.",
  })
  async putSiteConfig(
    @Input(() => PutSiteConfigInput) input: PutSiteConfigInput,
    @Ctx() context: GraphqlContext,
  ): Promise<object> {
    return change(context, input, async ({ editor, site, options, loaders, services }) => {
      const { budget } = loaders;
      const { source, field, size } = parseSource(input);
      budget.spendBytes(size);
      const isPublic = input.public ?? null;
      const document = { ...options, source, isPublic };
      const outcome = await services.siteConfigs.put(editor, site, document, siteConfigs(loaders).work);
      return viewOutcome(outcome, field, budget);
    });
  }

  @Mutation(() => SiteConfigPayload, {
    description:
      "Patches a site configuration and stores the result as a new revision. Fails if the result has errors. Text outside the patched properties is unchanged.",
  })
  async patchSiteConfig(
    @Input(() => PatchSiteConfigInput) input: PatchSiteConfigInput,
    @Ctx() context: GraphqlContext,
  ): Promise<object> {
    return change(context, input, async ({ editor, site, options, loaders, services }) => {
      const { budget } = loaders;
      const patch = serializeJson(input.patch, ["patch"]);
      const current = await siteConfigs(loaders).bySite.load(site);
      budget.spendBytes((current?.size ?? 0) + Buffer.byteLength(patch.json));
      const outcome = await services.siteConfigs.patch(
        editor,
        site,
        { ...options, patch },
        siteConfigs(loaders).work,
      );
      return viewOutcome(outcome, ["patch"], budget);
    });
  }

  @Mutation(() => SiteConfigPayload, {
    description: "Restores an earlier revision of a site configuration as a new revision.",
  })
  async restoreSiteConfig(
    @Input(() => RestoreSiteConfigInput) input: RestoreSiteConfigInput,
    @Ctx() context: GraphqlContext,
  ): Promise<object> {
    return change(context, input, async ({ editor, site, options, loaders, services }) => {
      const { budget } = loaders;
      const { revision } = input;
      if (revision < 1) throw invalidField(["revision"], "must be 1 or more");
      const current = await siteConfigs(loaders).bySite.load(site);
      const restored =
        current && (await siteConfigs(loaders).revisions.load({ siteConfigId: current.id, revision }));
      budget.spendBytes(restored?.size ?? 0);
      const outcome = await services.siteConfigs.restore(
        editor,
        site,
        { ...options, revision },
        siteConfigs(loaders).work,
      );
      return viewOutcome(outcome, ["revision"], budget);
    });
  }

  @Mutation(() => SiteConfigPayload, {
    description: "Makes a site configuration public or private over HTTP. Does not create a revision.",
  })
  async setSiteConfigVisibility(
    @Input(() => SetSiteConfigVisibilityInput) input: SetSiteConfigVisibilityInput,
    @Ctx() context: GraphqlContext,
  ): Promise<object> {
    return change(context, input, async ({ editor, site, services }) => ({
      siteConfig: new SiteConfigView(await services.siteConfigs.setPublic(editor, site, input.public)),
    }));
  }
}

/** Validated input of a site configuration change. */
interface Change {
  readonly editor: Editor;
  readonly site: string;
  readonly options: ReturnType<typeof parseChangeOptions>;
  readonly loaders: Loaders;
  readonly services: Services;
}

/** Runs a site configuration change. @throws like `mutate`, and `query_too_expensive` for large documents */
async function change(
  context: GraphqlContext,
  input: Parameters<typeof parseChangeOptions>[0] & { readonly site?: string | null },
  work: (change: Change) => Promise<SiteConfigValues>,
): Promise<object> {
  const { loaders } = requireSession(context);
  return mutate(context, SiteConfigPayload, async (writer, services) => {
    const { site, options } = parseFields({
      site: () => parseSite(input.site, ["site"]),
      options: () => parseChangeOptions(input),
    });
    return work({ editor: writer, site, options, loaders, services });
  });
}
