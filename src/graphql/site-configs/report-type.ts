import { Field, Int, ObjectType } from "type-graphql";
import type { SiteConfigFinding, SiteConfigReport } from "../../domain/site-configs/report.js";
import type { ReplyBudget } from "../shared/reply-budget.js";

@ObjectType("SiteConfigFinding", {
  description: "One thing in a site configuration that is wrong, or to be looked at.",
})
export class SiteConfigFindingView {
  readonly #finding: SiteConfigFinding;
  readonly #budget: ReplyBudget;

  @Field(() => String, {
    description: "What it is, for programs; the reference of site configurations lists all codes.",
  })
  readonly code: string;

  @Field(() => Int, { nullable: true, description: "The line, from 1; null when no text was checked." })
  readonly line: number | null;

  @Field(() => Int, {
    nullable: true,
    description: "The column, from 1, in UTF-16 code units as editors count; null when no text was checked.",
  })
  readonly column: number | null;

  constructor(finding: SiteConfigFinding, budget: ReplyBudget) {
    this.#finding = finding;
    this.#budget = budget;
    this.code = finding.code;
    this.line = finding.line ?? null;
    this.column = finding.column ?? null;
  }

  @Field(() => String, {
    description: "Where it is: a JSON pointer (RFC 6901); for what is missing, the object that lacks it.",
  })
  get pointer(): string {
    return this.#budget.spendText(this.#finding.pointer);
  }

  @Field(() => String, { description: "What it is, for people, and what is allowed." })
  get message(): string {
    return this.#budget.spendText(this.#finding.message);
  }
}

@ObjectType("SiteConfigReport", { description: "What a check of a site configuration found." })
export class SiteConfigReportView {
  readonly #report: SiteConfigReport;
  readonly #budget: ReplyBudget;

  @Field(() => Boolean, { description: "Whether there are no errors." })
  readonly valid: boolean;

  /** @param budget charged for findings whenever they are read */
  constructor(report: SiteConfigReport, budget: ReplyBudget) {
    this.#report = report;
    this.#budget = budget;
    this.valid = report.valid;
  }

  @Field(() => [SiteConfigFindingView], {
    description: "What makes it unusable, in the order of the document.",
  })
  get errors(): SiteConfigFindingView[] {
    return this.#show(this.#report.errors);
  }

  @Field(() => [SiteConfigFindingView], {
    description: "What should be looked at, in the order of the document.",
  })
  get warnings(): SiteConfigFindingView[] {
    return this.#show(this.#report.warnings);
  }

  #show(findings: readonly SiteConfigFinding[]): SiteConfigFindingView[] {
    this.#budget.spend(findings.length);
    return findings.map((finding) => new SiteConfigFindingView(finding, this.#budget));
  }
}
