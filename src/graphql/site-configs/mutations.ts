import type { SiteConfigReport } from "@user-groups/site-config";
import { ID, Resolver } from "type-graphql";
import type { Writer } from "../../domain/accounts/caller.js";
import { DomainError, type FieldPath, invalidField } from "../../domain/shared/errors.js";
import { parseFields, parseGuard } from "../../domain/shared/field-parsing.js";
import { measureJson } from "../../domain/site-configs/document-source.js";
import { parseSite } from "../../domain/site-configs/site-config.js";
import type { ChangeOutcome } from "../../services/site-configs/service.js";
import { type GraphqlContext, requireSession } from "../shared/context.js";
import { WriterMutation } from "../shared/mutation.js";
import { toNodeId } from "../shared/node.js";
import { nullable } from "../shared/nullable.js";
import type { ReplyBudget } from "../shared/reply-budget.js";
import { UserErrorView } from "../shared/user-error-type.js";
import {
  DeleteSiteConfigInput,
  PatchSiteConfigInput,
  PutSiteConfigInput,
  parseSource,
  RestoreSiteConfigInput,
  SetSiteConfigVisibilityInput,
} from "./inputs.js";
import { siteConfigs } from "./loaders.js";
import { SiteConfigReportView } from "./report-type.js";
import { SiteConfigView } from "./type.js";

const SITE_CONFIG = [
  () => SiteConfigView,
  nullable("The site configuration; null if the mutation failed."),
] as const;
const CHECKED_PAYLOAD = {
  siteConfig: SITE_CONFIG,
  report: [
    () => SiteConfigReportView,
    nullable("The validation report for the new document; null if it was not validated."),
  ],
} as const;

/** Returns the payload of a checked change. @param field path of the document in the input */
function viewOutcome(
  { siteConfig, report }: ChangeOutcome,
  field: FieldPath,
  budget: ReplyBudget,
): { siteConfig?: SiteConfigView; report: SiteConfigReportView; userErrors?: UserErrorView[] } {
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

/** The input of a change. */
type ChangeInput = Pick<PutSiteConfigInput, "site" | "expectedRevision" | "strict">;

/** Changes to large documents fail with `query_too_expensive` if other fields of the request have spent its budget. */
@Resolver()
export class SiteConfigMutations {
  @WriterMutation(
    "Stores a site configuration as a new revision. Fails if it has errors.",
    () => PutSiteConfigInput,
    CHECKED_PAYLOAD,
  )
  async putSiteConfig(input: PutSiteConfigInput, writer: Writer, context: GraphqlContext) {
    const { budget } = requireSession(context).loaders;
    const { site, options } = parseChange(input);
    const { source, field, size } = parseSource(input.source);
    budget.spendBytes(size);
    const document = { ...options, source, isPublic: input.isPublic ?? null };
    return viewOutcome(await context.services.siteConfigs.put(writer, site, document), field, budget);
  }

  @WriterMutation(
    "Patches a site configuration and stores the result as a new revision. Fails if the result has errors. Text outside the patched properties is unchanged.",
    () => PatchSiteConfigInput,
    CHECKED_PAYLOAD,
  )
  async patchSiteConfig(input: PatchSiteConfigInput, writer: Writer, context: GraphqlContext) {
    const { loaders } = requireSession(context);
    const { site, options } = parseChange(input);
    const patch = measureJson(input.patch, ["patch"]);
    const current = await siteConfigs(loaders).bySite.load(site);
    loaders.budget.spendBytes((current?.size ?? 0) + patch.size);
    const outcome = await context.services.siteConfigs.patch(writer, site, { ...options, patch });
    return viewOutcome(outcome, ["patch"], loaders.budget);
  }

  @WriterMutation(
    "Restores an earlier revision of a site configuration as a new revision.",
    () => RestoreSiteConfigInput,
    CHECKED_PAYLOAD,
  )
  async restoreSiteConfig(input: RestoreSiteConfigInput, writer: Writer, context: GraphqlContext) {
    const { loaders } = requireSession(context);
    const { site, options } = parseChange(input);
    const { revision } = input;
    if (revision < 1) throw invalidField(["revision"], "must be 1 or more");
    const { bySite, revisions } = siteConfigs(loaders);
    const current = await bySite.load(site);
    const restored = current && (await revisions.load({ siteConfigId: current.id, revision }));
    loaders.budget.spendBytes(restored?.size ?? 0);
    const outcome = await context.services.siteConfigs.restore(writer, site, { ...options, revision });
    return viewOutcome(outcome, ["revision"], loaders.budget);
  }

  @WriterMutation(
    "Makes a site configuration public or private over HTTP. Does not create a revision.",
    () => SetSiteConfigVisibilityInput,
    { siteConfig: SITE_CONFIG },
  )
  async setSiteConfigVisibility(
    input: SetSiteConfigVisibilityInput,
    writer: Writer,
    context: GraphqlContext,
  ) {
    const { site } = parseChange(input);
    const changed = await context.services.siteConfigs.setPublic(writer, site, input.isPublic);
    return { siteConfig: new SiteConfigView(changed) };
  }

  @WriterMutation(
    "Deletes a site configuration. Its revisions cannot be read afterwards. If the site is created again, they are part of its history, and its revision numbers continue.",
    () => DeleteSiteConfigInput,
    {
      deletedSiteConfigId: [
        () => ID,
        nullable("The global ID of the deleted site configuration; null if the mutation failed."),
      ],
    },
  )
  async deleteSiteConfig(input: DeleteSiteConfigInput, writer: Writer, { services }: GraphqlContext) {
    const { site, options } = parseChange(input);
    const { id } = await services.siteConfigs.delete(writer, site, options);
    return { deletedSiteConfigId: toNodeId("SiteConfig", id) };
  }
}

/** @throws DomainError `invalid_field` */
function parseChange({ site, expectedRevision, strict }: ChangeInput) {
  return parseFields({
    site: () => parseSite(site, ["site"]),
    options: () => ({
      expectedRevision: parseGuard(["expectedRevision"], expectedRevision, requireRevisionNumber) ?? null,
      strict: strict === true,
    }),
  });
}

function requireRevisionNumber(revision: number, field: FieldPath): number {
  if (revision >= 0) return revision;
  throw invalidField(field, "must be 0 or more");
}
