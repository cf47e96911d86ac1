import { Arg, Ctx, Resolver, Root, Subscription } from "type-graphql";
import type { GraphqlContext } from "../shared/context.js";
import { nullable } from "../shared/nullable.js";
import { UserGroupBy } from "./by.js";
import { UserGroupChangeView, WatchEvent } from "./watch-event.js";

interface SubscribeData {
  readonly args: { readonly by?: UserGroupBy | null };
  readonly context: GraphqlContext;
}

@Resolver()
export class UserGroupSubscription {
  @Subscription(() => UserGroupChangeView, {
    nullable: true,
    description:
      "Sends the current state of a user group, then at least its latest state after each change: changes that were not sent yet are merged into one event. For all user groups of the environment, sends their changes only. Runs over server-sent events or a WebSocket and completes when the user group is deleted. When the credentials expire or are revoked, or changes may have been missed, the connection ends, so that clients subscribe again.",
    subscribe: ({ args, context }: SubscribeData) => context.watcher.watch(args.by, context),
  })
  userGroupChanged(
    @Root() event: WatchEvent,
    @Arg(
      "by",
      () => UserGroupBy,
      nullable(
        "Identifies the user group. Defaults to all user groups of the environment for an API key, and to its own for a user group token.",
      ),
    )
    _by: UserGroupBy | null | undefined,
    @Ctx() { session }: GraphqlContext,
  ): UserGroupChangeView {
    // Each event is a reply with its own budget.
    session?.loaders.budget.begin();
    return event.change;
  }
}
