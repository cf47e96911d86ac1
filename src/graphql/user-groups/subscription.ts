import { Arg, Ctx, Resolver, Root, Subscription } from "type-graphql";
import type { GraphqlContext } from "../shared/context.js";
import { UserGroupBy } from "./by.js";
import { UserGroupChangeView } from "./change-type.js";
import { WatchEvent } from "./watch-event.js";

interface SubscribeData {
  readonly args: { readonly by?: UserGroupBy | null };
  readonly context: GraphqlContext;
}

@Resolver()
export class UserGroupSubscription {
  @Subscription(() => UserGroupChangeView, {
    nullable: true,
    description:
      "Tells of each change of one user group, over server-sent events. It ends when the group is deleted, when your credentials end, or when changes may have been missed.",
    subscribe: ({ args, context }: SubscribeData) => context.watcher.watch(args.by, context),
  })
  userGroupChanged(
    @Root() event: WatchEvent,
    @Arg("by", () => UserGroupBy, {
      nullable: true,
      description: "Names the group; not needed with a user group token, whose own group it is.",
    })
    _by: UserGroupBy | null | undefined,
    @Ctx() { session }: GraphqlContext,
  ): UserGroupChangeView {
    // Each event is a reply with its own budget.
    session?.loaders.budget.begin();
    return event.change;
  }
}
