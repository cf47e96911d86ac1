import { Field, ObjectType } from "type-graphql";
import { DomainError, type FieldPath } from "../../domain/shared/errors.js";
import type { SiteConfigReport } from "../../domain/site-configs/report.js";
import type { SiteConfig } from "../../domain/site-configs/site-config.js";
import type { ChangeOutcome } from "../../services/site-configs/service.js";
import type { ReplyBudget } from "../shared/reply-budget.js";
import { UserErrorView } from "../shared/user-error-type.js";
import { SiteConfigReportView } from "./report-type.js";
import { SiteConfigView } from "./type.js";

@ObjectType("SiteConfigPayload", { description: "The site configuration after a change." })
export class SiteConfigPayload {
  @Field(() => SiteConfigView, {
    nullable: true,
    description: "The site configuration; null when the change failed.",
  })
  readonly siteConfig: SiteConfigView | null;

  @Field(() => SiteConfigReportView, {
    nullable: true,
    description: "What the check of the new document found; null when it did not come to that.",
  })
  readonly report: SiteConfigReportView | null;

  @Field(() => [UserErrorView], { description: "Why the change failed; empty when it did not." })
  readonly userErrors: UserErrorView[];

  private constructor(
    siteConfig: SiteConfig | null,
    report: SiteConfigReportView | null,
    userErrors: UserErrorView[],
  ) {
    this.siteConfig = siteConfig && new SiteConfigView(siteConfig);
    this.report = report;
    this.userErrors = userErrors;
  }

  /** @param field where in the input the document came from */
  static of({ siteConfig, report }: ChangeOutcome, field: FieldPath, budget: ReplyBudget): SiteConfigPayload {
    const userErrors = siteConfig ? [] : invalid(report, field);
    return new SiteConfigPayload(siteConfig, new SiteConfigReportView(report, budget), userErrors);
  }

  static unchecked(siteConfig: SiteConfig): SiteConfigPayload {
    return new SiteConfigPayload(siteConfig, null, []);
  }

  static failed(userErrors: UserErrorView[]): SiteConfigPayload {
    return new SiteConfigPayload(null, null, userErrors);
  }
}

function invalid({ errors }: SiteConfigReport, field: FieldPath): UserErrorView[] {
  const [first] = errors;
  const place = first?.pointer ? ` (at ${first.pointer})` : "";
  const message = `The site configuration has ${errors.length === 1 ? "an error" : `${errors.length} errors; the first`}: ${first?.message}${place}`;
  return UserErrorView.allOf(new DomainError("invalid_site_config", message, { field }));
}
