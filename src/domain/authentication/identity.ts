import type { Caller } from "../accounts/caller.js";
import type { Deadline } from "../shared/deadline.js";
import type { UserGroup } from "../user-groups/user-group.js";

/** The principal that valid credentials identify: the holder of an API key, or the front end of one user group. */
export type Identity =
  | { readonly kind: "caller"; readonly caller: Caller }
  | {
      readonly kind: "frontEnd";
      readonly userGroup: UserGroup;
      readonly deadline?: Deadline | undefined;
    };
