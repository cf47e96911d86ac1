import { Arg, Ctx, Field, ID, Int, ObjectType, Resolver, Root, Subscription } from "type-graphql";
import type { UserGroupEvent } from "../../services/user-groups/subscription.js";
import type { GraphqlContext } from "../shared/context.js";
import { createEnum } from "../shared/create-enum.js";
import { toNodeId } from "../shared/node.js";
import { nullable } from "../shared/nullable.js";
import { UserGroupBy } from "./by.js";
import { UserGroupView } from "./type.js";

const UserGroupChangeKindEnum = createEnum<UserGroupEvent["kind"]>(
  "UserGroupChangeKind",
  "The type of a change to a user group.",
  {
    CURRENT: ["current", "The state when a subscription to this user group starts."],
    CREATED: ["created", "The user group was created."],
    UPDATED: ["updated", "The name, properties or mapping was updated, or a data source of the mapping."],
    TOKEN_ROTATED: ["tokenRotated", "The token was rotated."],
    DELETED: ["deleted", "The user group was deleted. A subscription to this user group ends."],
  },
);

@ObjectType("UserGroupChange", { description: "A change to a user group, with its latest state." })
class UserGroupChangeView {
  @Field(() => UserGroupChangeKindEnum, {
    description: "The type of the change; of the latest one if several were merged into this event.",
  })
  readonly kind: UserGroupEvent["kind"];

  @Field(() => ID, { description: "The global ID of the user group, even if it was deleted." })
  readonly userGroupId: string;

  @Field(
    () => Int,
    nullable(
      "The version of the current state, which a change of a data source leaves as it is; null if the user group was deleted.",
    ),
  )
  readonly version: number | null;

  @Field(() => UserGroupView, nullable("The current state of the user group; null if it was deleted."))
  readonly userGroup: UserGroupView | null;

  constructor(event: UserGroupEvent) {
    const userGroup = event.group?.userGroup;
    this.kind = event.kind;
    this.version = userGroup?.version ?? null;
    this.userGroupId = toNodeId("UserGroup", event.id);
    this.userGroup = userGroup ? new UserGroupView(userGroup, () => event.mapping()) : null;
  }
}

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
    @Root() event: UserGroupEvent,
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
    // Each event is a reply with its own budget and current values.
    session?.loaders.clear();
    session?.loaders.budget.begin();
    return new UserGroupChangeView(event);
  }
}
