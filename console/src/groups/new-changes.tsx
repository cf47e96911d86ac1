import { type RefObject, useState } from "react";
import { plural } from "../parts/plural.js";
import { useGroupChanges } from "./use-group-changes.js";

const MAX_COUNTED = 100;

interface NewChangesProps {
  /** When the list was loaded. */
  readonly loadedAt: number;
  /** Until when changes are those of this tab; Unix time in milliseconds. */
  readonly ignoreUntil: RefObject<number>;
  readonly onShow: () => void;
}

/** Counts the groups that were changed since the list was loaded, and offers to load it again: no row moves by itself. */
export function NewChanges({ loadedAt, ignoreUntil, onShow }: NewChangesProps) {
  const [changed, setChanged] = useState({ loadedAt, ids: new Set<string>() });
  if (changed.loadedAt !== loadedAt) setChanged({ loadedAt, ids: new Set() });
  const { size } = changed.ids;
  const isFull = size > MAX_COUNTED;
  useGroupChanges(
    null,
    ({ userGroupId }) => {
      if (Date.now() < ignoreUntil.current) return;
      setChanged(({ ids, ...rest }) => ({ ...rest, ids: new Set(ids).add(userGroupId) }));
    },
    onShow,
    !isFull,
  );
  return (
    <span role="status">
      {size > 0 && (
        <>
          {isFull ? `${MAX_COUNTED}+ changes` : plural(size, "change")}{" "}
          <button type="button" onClick={onShow}>
            Show
          </button>
        </>
      )}
    </span>
  );
}
