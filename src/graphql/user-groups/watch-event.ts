import { Field, ID, ObjectType } from "type-graphql";
import { DomainError } from "../../domain/shared/errors.js";
import type { UserGroupChangeKind } from "../../domain/user-groups/change.js";
import type { UserGroupEvent } from "../../services/user-groups/subscription.js";
import { createEnum } from "../shared/create-enum.js";
import { toNodeId } from "../shared/node.js";
import { nullable } from "../shared/nullable.js";
import { UserGroupView } from "./type.js";

const UserGroupChangeKindEnum = createEnum<UserGroupChangeKind>(
  "UserGroupChangeKind",
  "The type of a change to a user group.",
  {
    CREATED: ["created", "The user group was created."],
    UPDATED: ["updated", "The name, properties or mapping was updated."],
    TOKEN_ROTATED: ["tokenRotated", "The token was rotated."],
    DELETED: ["deleted", "The user group was deleted. A subscription to this user group ends."],
  },
);

@ObjectType("UserGroupChange", { description: "A change to a user group." })
export class UserGroupChangeView {
  @Field(() => UserGroupChangeKindEnum, { description: "The type of the change." })
  readonly kind: UserGroupChangeKind;

  @Field(() => ID, { description: "The global ID of the user group, even if it was deleted." })
  readonly userGroupId: string;

  @Field(() => UserGroupView, nullable("The current state of the user group; null if it was deleted."))
  readonly userGroup: UserGroupView | null;

  constructor({ id, kind, userGroup, mapping }: UserGroupEvent) {
    this.kind = kind;
    this.userGroupId = toNodeId("UserGroup", id);
    this.userGroup = userGroup && new UserGroupView(userGroup, mapping);
  }
}

/** An event for a subscriber: a change, or finally the error that ends the stream. */
export class WatchEvent {
  readonly #content: UserGroupChangeView | DomainError;
  /** Identifies a change delivered to several subscribers; undefined for an event of this subscriber only. */
  readonly shared: object | undefined;
  /** Returns whether the event may still be delivered. */
  readonly isCurrent: () => boolean;

  constructor(
    content: UserGroupChangeView | DomainError,
    shared?: object,
    isCurrent: () => boolean = () => true,
  ) {
    this.#content = content;
    this.shared = shared;
    this.isCurrent = isCurrent;
  }

  /** The code of the error that ends the stream, if this is the final event. */
  get errorCode(): DomainError["code"] | undefined {
    return this.#content instanceof DomainError ? this.#content.code : undefined;
  }

  /** @throws DomainError that ends the stream, if this is the final event */
  get change(): UserGroupChangeView {
    if (this.#content instanceof DomainError) throw this.#content;
    return this.#content;
  }
}
