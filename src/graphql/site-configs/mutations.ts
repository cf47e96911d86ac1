import { Ctx, ID, Mutation, Resolver } from "type-graphql";
import { DomainError, type FieldPath, invalidField } from "../../domain/shared/errors.js";
import { parseFields } from "../../domain/shared/field-parsing.js";
import { measureJson } from "../../domain/site-configs/document-source.js";
import type { SiteConfigReport } from "../../domain/site-configs/findings.js";
import { type Editor, parseSite } from "../../domain/site-configs/site-config.js";
import type { Services } from "../../services/services.js";
import type { ChangeOutcome } from "../../services/site-configs/service.js";
import { type GraphqlContext, requireSession } from "../shared/context.js";
import type { Loaders } from "../shared/loaders.js";
import { mutate } from "../shared/mutation.js";
import { toNodeId } from "../shared/node-id.js";
import { createPayloadType, Input, type PayloadType, type PayloadValues } from "../shared/payload.js";
import type { ReplyBudget } from "../shared/reply-budget.js";
import { UserErrorView } from "../shared/user-error-type.js";
import {
  DeleteSiteConfigInput,
  PatchSiteConfigInput,
  PutSiteConfigInput,
  parseChangeOptions,
  parseSource,
  RestoreSiteConfigInput,
  SetSiteConfigVisibilityInput,
} from "./inputs.js";
import { siteConfigs } from "./loaders.js";
import { SiteConfigReportView } from "./report-type.js";
import { SiteConfigView } from "./type.js";

interface SiteConfigFields {
  readonly siteConfig: SiteConfigView;
  readonly report: SiteConfigReportView;
}

type SiteConfigValues = PayloadValues<SiteConfigFields>;

const FIELDS = {
  siteConfig: [() => SiteConfigView, "The site configuration; null if the mutation failed."],
  report: [
    () => SiteConfigReportView,
    "The validation report for the new document; null if it was not validated.",
  ],
} as const;

const PutSiteConfigPayload = createPayloadType<SiteConfigFields>("putSiteConfig", FIELDS);

const PatchSiteConfigPayload = createPayloadType<SiteConfigFields>("patchSiteConfig", FIELDS);

const RestoreSiteConfigPayload = createPayloadType<SiteConfigFields>("restoreSiteConfig", FIELDS);

const SetSiteConfigVisibilityPayload = createPayloadType<Pick<SiteConfigFields, "siteConfig">>(
  "setSiteConfigVisibility",
  { siteConfig: FIELDS.siteConfig },
);

const DeleteSiteConfigPayload = createPayloadType<{ deletedSiteConfigId: string }>("deleteSiteConfig", {
  deletedSiteConfigId: [
    () => ID,
    "The global ID of the deleted site configuration; null if the mutation failed.",
  ],
});

/** Returns the payload of a checked change. @param field path of the document in the input */
function viewOutcome(
  { siteConfig, report }: ChangeOutcome,
  field: FieldPath,
  budget: ReplyBudget,
): SiteConfigValues {
  budget.spendFindings(report);
  const reportView = new SiteConfigReportView(report, budget);
  if (siteConfig) return { siteConfig: new SiteConfigView(siteConfig), report: reportView };
  return { report: reportView, userErrors: invalid(report, field) };
}

function invalid({ errors }: SiteConfigReport, field: FieldPath): UserErrorView[] {
  const [first] = errors;
  const place = first?.pointer ? ` (at ${first.pointer})` : "";
  const message = `The site configuration has ${errors.length === 1 ? "an error" : `${errors.length} errors; the first`}: ${first?.message}${place}`;
  return UserErrorView.allOf(new DomainError("invalid_site_config", message, { field }));
}

@Resolver()
export class SiteConfigMutations {
  @Mutation(() => PutSiteConfigPayload, {
    description: "Stores a site configuration as a new revision. Fails if it has errors.",
  })
  async putSiteConfig(
    @Input(() => PutSiteConfigInput) input: PutSiteConfigInput,
    @Ctx() context: GraphqlContext,
  ): Promise<object> {
    return change(
      context,
      PutSiteConfigPayload,
      input,
      async ({ editor, site, options, loaders, services }) => {
        const { budget } = loaders;
        const { source, field, size } = parseSource(input.source);
        budget.spendBytes(size);
        const document = { ...options, source, isPublic: input.isPublic ?? null };
        const outcome = await services.siteConfigs.put(editor, site, document);
        return viewOutcome(outcome, field, budget);
      },
    );
  }

  @Mutation(() => PatchSiteConfigPayload, {
    description:
      "Patches a site configuration and stores the result as a new revision. Fails if the result has errors. Text outside the patched properties is unchanged.",
  })
  async patchSiteConfig(
    @Input(() => PatchSiteConfigInput) input: PatchSiteConfigInput,
    @Ctx() context: GraphqlContext,
  ): Promise<object> {
    return change(
      context,
      PatchSiteConfigPayload,
      input,
      async ({ editor, site, options, loaders, services }) => {
        const { budget } = loaders;
        const patch = measureJson(input.patch, ["patch"]);
        const current = await siteConfigs(loaders).bySite.load(site);
        budget.spendBytes((current?.size ?? 0) + patch.size);
        const outcome = await services.siteConfigs.patch(editor, site, { ...options, patch });
        return viewOutcome(outcome, ["patch"], budget);
      },
    );
  }

  @Mutation(() => RestoreSiteConfigPayload, {
    description: "Restores an earlier revision of a site configuration as a new revision.",
  })
  async restoreSiteConfig(
    @Input(() => RestoreSiteConfigInput) input: RestoreSiteConfigInput,
    @Ctx() context: GraphqlContext,
  ): Promise<object> {
    return change(
      context,
      RestoreSiteConfigPayload,
      input,
      async ({ editor, site, options, loaders, services }) => {
        const { budget } = loaders;
        const { revision } = input;
        if (revision < 1) throw invalidField(["revision"], "must be 1 or more");
        const current = await siteConfigs(loaders).bySite.load(site);
        const restored =
          current && (await siteConfigs(loaders).revisions.load({ siteConfigId: current.id, revision }));
        budget.spendBytes(restored?.size ?? 0);
        const outcome = await services.siteConfigs.restore(editor, site, { ...options, revision });
        return viewOutcome(outcome, ["revision"], budget);
      },
    );
  }

  @Mutation(() => SetSiteConfigVisibilityPayload, {
    description: "Makes a site configuration public or private over HTTP. Does not create a revision.",
  })
  async setSiteConfigVisibility(
    @Input(() => SetSiteConfigVisibilityInput) input: SetSiteConfigVisibilityInput,
    @Ctx() context: GraphqlContext,
  ): Promise<object> {
    return change(context, SetSiteConfigVisibilityPayload, input, async ({ editor, site, services }) => ({
      siteConfig: new SiteConfigView(await services.siteConfigs.setPublic(editor, site, input.isPublic)),
    }));
  }

  @Mutation(() => DeleteSiteConfigPayload, {
    description:
      "Deletes a site configuration. Its revisions cannot be read afterwards. If the site is created again, they are part of its history, and its revision numbers continue.",
  })
  async deleteSiteConfig(
    @Input(() => DeleteSiteConfigInput) input: DeleteSiteConfigInput,
    @Ctx() context: GraphqlContext,
  ): Promise<object> {
    return mutate(context, DeleteSiteConfigPayload, async (writer, { siteConfigs: service }) => {
      const { site, options } = parseChange(input);
      const { id } = await service.delete(writer, site, options);
      return { deletedSiteConfigId: toNodeId("SiteConfig", id) };
    });
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
async function change<Values extends object>(
  context: GraphqlContext,
  payload: PayloadType<Values>,
  input: ChangeInput,
  work: (change: Change) => Promise<PayloadValues<Values>>,
): Promise<object> {
  const { loaders } = requireSession(context);
  return mutate(context, payload, async (writer, services) => {
    return work({ editor: writer, ...parseChange(input), loaders, services });
  });
}

type ChangeInput = Parameters<typeof parseChangeOptions>[0] & { readonly site: string };

/** @throws DomainError `invalid_field` */
function parseChange(input: ChangeInput) {
  return parseFields({
    site: () => parseSite(input.site, ["site"]),
    options: () => parseChangeOptions(input),
  });
}
