import { Ctx, Query, Resolver } from "type-graphql";
import type { GraphqlContext } from "./context.js";
import { ViewerView } from "./viewer-type.js";

@Resolver()
export class ViewerResolver {
  @Query(() => ViewerView, {
    nullable: true,
    description: "Who is asking; null for a request without credentials.",
  })
  viewer(@Ctx() { session }: GraphqlContext): ViewerView | null {
    return session && new ViewerView(session.caller);
  }
}
