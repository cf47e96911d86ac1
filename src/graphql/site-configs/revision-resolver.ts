import { Ctx, FieldResolver, Resolver, Root } from "type-graphql";
import { loadAuthor } from "../accounts/api-key-loaders.js";
import { ApiKeyView } from "../accounts/api-key-types.js";
import { type GraphqlContext, requireSession } from "../shared/context.js";
import { nullable } from "../shared/nullable.js";
import { SiteConfigRevisionView } from "./type.js";

@Resolver(() => SiteConfigRevisionView)
export class SiteConfigRevisionResolver {
  @FieldResolver(
    () => ApiKeyView,
    nullable(
      "The author's API key; null for changes made directly in the database, and, without an error, if the caller's API key lacks admin scope.",
    ),
  )
  async author(
    @Root() { authorKeyId }: SiteConfigRevisionView,
    @Ctx() context: GraphqlContext,
  ): Promise<ApiKeyView | null> {
    return loadAuthor(requireSession(context), authorKeyId);
  }
}
