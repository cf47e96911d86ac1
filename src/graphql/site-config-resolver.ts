import { GraphQLJSON } from "graphql-scalars";
import { Arg, Ctx, Query, Resolver } from "type-graphql";
import { invalidField } from "../domain/errors.js";
import type { JsonValue } from "../domain/json.js";
import {
  validateSiteConfigDocument,
  validateSiteConfigText,
} from "../domain/site-config/validate-site-config.js";
import { type GraphqlContext, requireSession } from "./context.js";
import { SiteConfigReportView } from "./site-config-report-type.js";

@Resolver()
export class SiteConfigResolver {
  @Query(() => SiteConfigReportView, {
    description: "Checks a site configuration, given as text or as a document, without storing it.",
  })
  validateSiteConfig(
    @Arg("document", () => GraphQLJSON, { nullable: true, description: "The configuration as JSON." })
    document: unknown,
    @Arg("text", () => String, {
      nullable: true,
      description: "The configuration as the text of its file: findings then have line and column.",
    })
    text: string | null | undefined,
    @Arg("strict", () => Boolean, {
      nullable: true,
      defaultValue: false,
      description: "Whether warnings count as errors.",
    })
    strict: boolean | null,
    @Ctx() context: GraphqlContext,
  ): SiteConfigReportView {
    requireSession(context);
    const hasText = typeof text === "string";
    const hasDocument = document !== undefined && document !== null;
    if (hasText === hasDocument) throw invalidField(["text"], "or document must be given, and not both");
    const options = { strict: strict === true };
    const report = hasText
      ? validateSiteConfigText(text, options)
      : validateSiteConfigDocument(toJsonValue(document), options);
    return new SiteConfigReportView(report);
  }
}

/** A value of the JSON scalar, which came from JSON or from a literal that says the same. */
function toJsonValue(value: unknown): JsonValue {
  return JSON.parse(JSON.stringify(value));
}
