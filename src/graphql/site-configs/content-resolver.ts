import { Arg, type ClassType, Ctx, FieldResolver, Resolver, Root } from "type-graphql";
import type { JsonValue } from "../../domain/shared/json.js";
import { type GraphqlContext, requireSession } from "../shared/context.js";
import { nullable } from "../shared/nullable.js";
import { GraphQLJSON } from "../shared/raw-json.js";
import { STRICT } from "./inputs.js";
import type { TextRef } from "./loaders.js";
import { siteConfigs } from "./loaders.js";
import { SiteConfigReportView } from "./report-type.js";
import { SiteSettings, viewSettings } from "./site-settings-types.js";
import { SiteConfigRevisionView, SiteConfigView } from "./type.js";

interface HasText {
  readonly textRef: TextRef;
}

/** Creates the resolver of the fields derived from the text, shared by site configurations and their revisions. */
function createContentResolver(view: ClassType<HasText>) {
  @Resolver(() => view)
  class SiteConfigContentResolver {
    @FieldResolver(() => GraphQLJSON, {
      description:
        "The document as submitted, without defaults. Integer-like keys come first and numbers are 64-bit floats; `text` has the original order and spelling.",
    })
    async document(@Root() root: HasText, @Ctx() context: GraphqlContext): Promise<JsonValue> {
      return siteConfigs(requireSession(context).loaders).document(root.textRef);
    }

    @FieldResolver(() => String, {
      description:
        "The exact text as submitted, or as serialized by the service if the document was submitted as JSON.",
    })
    async text(@Root() root: HasText, @Ctx() context: GraphqlContext): Promise<string> {
      return (await siteConfigs(requireSession(context).loaders).text(root.textRef)).text;
    }

    @FieldResolver(() => SiteConfigReportView, {
      description: "The result of validating the text now. Lines and columns refer to `text`.",
    })
    async report(
      @Root() { textRef }: HasText,
      @Arg("strict", () => Boolean, STRICT) strict: boolean | null,
      @Ctx() context: GraphqlContext,
    ): Promise<SiteConfigReportView> {
      const { loaders } = requireSession(context);
      return new SiteConfigReportView(
        await siteConfigs(loaders).report(textRef, strict === true),
        loaders.budget,
      );
    }

    @FieldResolver(
      () => SiteSettings,
      nullable(
        "The typed settings, with defaults for omitted properties. Properties that the format does not define are only in `document`.",
      ),
    )
    async settings(@Root() root: HasText, @Ctx() context: GraphqlContext): Promise<object | null> {
      const { loaders } = requireSession(context);
      return viewSettings(await siteConfigs(loaders).document(root.textRef), loaders.budget);
    }
  }
  return SiteConfigContentResolver;
}

export const SiteConfigContentResolver = createContentResolver(SiteConfigView);
export const SiteConfigRevisionContentResolver = createContentResolver(SiteConfigRevisionView);
