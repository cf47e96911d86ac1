import type { SiteConfigFinding, SiteConfigReport } from "@user-groups/site-config";
import { Field, Int, ObjectType } from "type-graphql";
import { nullable } from "../shared/nullable.js";
import type { ReplyBudget } from "../shared/reply-budget.js";

@ObjectType("SiteConfigFinding", {
  description: "An error or warning in a site configuration, or all notices of one kind.",
})
export class SiteConfigFindingView {
  @Field(() => String, {
    description: "The code of the finding. The site configuration reference lists all codes.",
  })
  readonly code: string;

  @Field(() => Int, nullable("The line, starting at 1; null if the configuration was not validated as text."))
  readonly line: number | null;

  @Field(
    () => Int,
    nullable(
      "The column, starting at 1, in UTF-16 code units; null if the configuration was not validated as text.",
    ),
  )
  readonly column: number | null;

  @Field(() => Int, {
    description:
      "The number of places; the location is the first. Notices, and warnings of page paths with the same fault, are reported once.",
  })
  readonly count: number;

  constructor(
    private readonly finding: SiteConfigFinding,
    private readonly budget: ReplyBudget,
  ) {
    this.code = finding.code;
    this.line = finding.line ?? null;
    this.column = finding.column ?? null;
    this.count = finding.count ?? 1;
  }

  @Field(() => String, {
    description:
      "The location as a JSON Pointer (RFC 6901). For a missing property, the object that lacks it.",
  })
  get pointer(): string {
    return this.budget.spendText(this.finding.pointer);
  }

  @Field(() => String, { description: "An explanation for humans, with the allowed values." })
  get message(): string {
    return this.budget.spendText(this.finding.message);
  }
}

@ObjectType("SiteConfigReport", { description: "The result of validating a site configuration." })
export class SiteConfigReportView {
  @Field(() => Boolean, { description: "Indicates whether there are no errors." })
  readonly isValid: boolean;

  /** @param budget charged for findings whenever they are read */
  constructor(
    private readonly report: SiteConfigReport,
    private readonly budget: ReplyBudget,
  ) {
    this.isValid = report.valid;
  }

  @Field(() => [SiteConfigFindingView], {
    description: "Findings that make the configuration invalid, in document order.",
  })
  get errors(): SiteConfigFindingView[] {
    return this.#show(this.report.errors);
  }

  @Field(() => [SiteConfigFindingView], { description: "Findings that need attention, in document order." })
  get warnings(): SiteConfigFindingView[] {
    return this.#show(this.report.warnings);
  }

  @Field(() => [SiteConfigFindingView], {
    description:
      "Content that works but is not part of the format, one finding for each kind, in document order.",
  })
  get notices(): SiteConfigFindingView[] {
    return this.#show(this.report.notices);
  }

  #show(findings: readonly SiteConfigFinding[]): SiteConfigFindingView[] {
    this.budget.spend(findings.length);
    return findings.map((finding) => new SiteConfigFindingView(finding, this.budget));
  }
}
