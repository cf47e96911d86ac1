import { useEffect, useEffectEvent } from "react";
import { toFailure } from "../api/failure.js";
import { GroupChangesDocument, type GroupChangesSubscription } from "../api/generated/operations.js";
import { useSession } from "../session/session.js";

const MAX_RETRY_DELAY_MS = 30_000;

export type GroupChange = NonNullable<GroupChangesSubscription["userGroupChanged"]>;

/**
 * Follows the changes of a group, or of all groups of the environment. Only while the tab is visible: over HTTP/1.1, browsers open six
 * connections to a host, for all tabs together.
 * @param id the group, whose changes contain its new state; null for all groups
 * @param onChange called with each change, also of this tab
 * @param onMissed called when changes may have been missed
 */
export function useGroupChanges(
  id: string | null,
  onChange: (change: GroupChange) => void,
  onMissed: () => void,
  isEnabled = true,
): void {
  const { client, isOpen } = useSession();
  const receive = useEffectEvent(onChange);
  const miss = useEffectEvent(onMissed);
  useEffect(() => {
    if (!isEnabled || !isOpen) return;
    const variables = { withGroup: id !== null, ...(id === null ? {} : { by: { id } }) };
    let stream: AbortController | undefined;
    /** Opens the stream again when it breaks. */
    async function follow({ signal }: AbortController) {
      let hasOpened = false;
      for (let attempt = 1; !signal.aborted; attempt += 1) {
        try {
          for await (const data of client.follow(GroupChangesDocument, variables, signal)) {
            if (data === null && hasOpened) miss();
            if (data?.userGroupChanged) receive(data.userGroupChanged);
            hasOpened = true;
            attempt = 0;
          }
          return;
        } catch (error) {
          const { code, isTemporary, retryAfter = 0 } = toFailure(error);
          // Deleted while the stream was not open.
          if (code === "USER_GROUP_NOT_FOUND") miss();
          if (signal.aborted || !isTemporary) return;
          const delay = Math.max(retryAfter * 1000, Math.min(1000 * 2 ** attempt, MAX_RETRY_DELAY_MS));
          await new Promise((resolve) => setTimeout(resolve, delay));
        }
      }
    }
    const onVisibility = () => {
      stream?.abort();
      stream = new AbortController();
      if (document.visibilityState === "visible") void follow(stream);
    };
    onVisibility();
    document.addEventListener("visibilitychange", onVisibility);
    return () => {
      document.removeEventListener("visibilitychange", onVisibility);
      stream?.abort();
    };
  }, [client, isOpen, isEnabled, id]);
}
