import { Field, Int, ObjectType } from "type-graphql";
import type { SiteConfigFinding, SiteConfigReport } from "../domain/site-config/site-config-report.js";

@ObjectType("SiteConfigFinding", {
  description: "One thing in a site configuration that is wrong, or to be looked at.",
})
export class SiteConfigFindingView {
  @Field(() => String, {
    description: "What it is, for programs; the reference of site configurations lists all codes.",
  })
  readonly code: string;

  @Field(() => String, {
    description: "Where it is: a JSON pointer (RFC 6901); for what is missing, the object that lacks it.",
  })
  readonly pointer: string;

  @Field(() => String, { description: "What it is, for people, and what is allowed." })
  readonly message: string;

  @Field(() => Int, { nullable: true, description: "The line, from 1; null when no text was checked." })
  readonly line: number | null;

  @Field(() => Int, {
    nullable: true,
    description: "The column, from 1, in UTF-16 code units as editors count; null when no text was checked.",
  })
  readonly column: number | null;

  constructor(finding: SiteConfigFinding) {
    this.code = finding.code;
    this.pointer = finding.pointer;
    this.message = finding.message;
    this.line = finding.line ?? null;
    this.column = finding.column ?? null;
  }
}

@ObjectType("SiteConfigReport", { description: "What a check of a site configuration found." })
export class SiteConfigReportView {
  @Field(() => Boolean, { description: "Whether there are no errors." })
  readonly valid: boolean;

  @Field(() => [SiteConfigFindingView], {
    description: "What makes it unusable, in the order of the document.",
  })
  readonly errors: SiteConfigFindingView[];

  @Field(() => [SiteConfigFindingView], {
    description: "What should be looked at, in the order of the document.",
  })
  readonly warnings: SiteConfigFindingView[];

  constructor(report: SiteConfigReport) {
    this.valid = report.valid;
    this.errors = report.errors.map((finding) => new SiteConfigFindingView(finding));
    this.warnings = report.warnings.map((finding) => new SiteConfigFindingView(finding));
  }
}
