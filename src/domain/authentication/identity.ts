import type { Caller } from "../accounts/caller.js";
import type { Deadline } from "../shared/deadline.js";
import type { UserGroup } from "../user-groups/user-group.js";
import type { EmbedSession } from "./embed-session.js";

/** The principal that valid credentials identify: the holder of an API key, or the front end of one user group. */
export type Identity =
  | { readonly kind: "caller"; readonly caller: Caller }
  | {
      readonly kind: "frontEnd";
      readonly userGroup: UserGroup;
      /** Set if the credential is an embed session instead of the group's token. */
      readonly embedSession?: EmbedSession | undefined;
      readonly deadline?: Deadline | undefined;
    };
