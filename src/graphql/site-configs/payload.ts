import { ID } from "type-graphql";
import { DomainError, type FieldPath } from "../../domain/shared/errors.js";
import type { SiteConfigReport } from "../../domain/site-configs/findings.js";
import type { ChangeOutcome } from "../../services/site-configs/service.js";
import { createPayloadType, type PayloadValues } from "../shared/payload.js";
import type { ReplyBudget } from "../shared/reply-budget.js";
import { UserErrorView } from "../shared/user-error-type.js";
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

export const PutSiteConfigPayload = createPayloadType<SiteConfigFields>("putSiteConfig", FIELDS);

export const PatchSiteConfigPayload = createPayloadType<SiteConfigFields>("patchSiteConfig", FIELDS);

export const RestoreSiteConfigPayload = createPayloadType<SiteConfigFields>("restoreSiteConfig", FIELDS);

export const SetSiteConfigVisibilityPayload = createPayloadType<Pick<SiteConfigFields, "siteConfig">>(
  "setSiteConfigVisibility",
  { siteConfig: FIELDS.siteConfig },
);

export const DeleteSiteConfigPayload = createPayloadType<{ deletedSiteConfigId: string }>(
  "deleteSiteConfig",
  {
    deletedSiteConfigId: [
      () => ID,
      "The global ID of the deleted site configuration; null if the mutation failed.",
    ],
  },
);

/** Returns the payload of a checked change. @param field path of the document in the input */
export function viewOutcome(
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
