import { type ReactNode, useEffect, useId, useRef, useState } from "react";
import { GroupHistoryDocument } from "../api/generated/operations.js";
import { useSession } from "../session/session.js";
import { useQuery } from "../session/use-query.js";
import { draftWith, type GroupDraft, valuesOf } from "./group-draft.js";

const MAX_AUTHORS = 10;

interface GroupConflictProps {
  /** The group's ID. */
  readonly id: string;
  readonly baseVersion: number;
  /** The version before both changes. */
  readonly base: GroupDraft;
  readonly mine: GroupDraft;
  readonly saved: GroupDraft;
  readonly isBusy: boolean;
  readonly onSave: (merged: GroupDraft) => void;
  readonly onDiscard: () => void;
}

/** Shows each field whose value differs from the one that someone else saved meanwhile, and asks which one to keep. */
export function GroupConflict(props: GroupConflictProps) {
  const { base, mine, saved, isBusy, onSave, onDiscard } = props;
  const id = useId();
  const authors = useAuthors(props);
  const section = useRef<HTMLElement>(null);
  useEffect(() => section.current?.focus(), []);
  const [before, own, theirs] = [valuesOf(base), valuesOf(mine), valuesOf(saved)];
  const all = [...new Set([...theirs.keys(), ...own.keys()])];
  const fields = all.filter((field) => own.get(field) !== theirs.get(field));
  // A field that only one side has changed keeps the change. Of two changes, neither is chosen.
  const [isMine, setMine] = useState<Readonly<Record<string, boolean | undefined>>>(() =>
    Object.fromEntries(
      fields.map((field) => {
        const isOwn = own.get(field) !== before.get(field);
        return [field, isOwn && theirs.get(field) !== before.get(field) ? undefined : isOwn];
      }),
    ),
  );
  const isChosen = fields.every((field) => isMine[field] !== undefined);
  const chosen = (field: string) => {
    const value = (isMine[field] ? own : theirs).get(field);
    return value === undefined ? [] : [[field, value] as const];
  };
  return (
    <section className="callout conflict" ref={section} tabIndex={-1} aria-labelledby={id}>
      <h2 id={id}>{authors} saved this group while you were editing</h2>
      <p className="fine">
        {fields.length === 0
          ? "The values are the same as yours."
          : "Choose the value to keep for each field."}
      </p>
      {fields.map((field) => (
        <fieldset key={field} className="choices sides">
          <legend>{field}</legend>
          {[true, false].map((isOwn) => (
            <label key={String(isOwn)}>
              <input
                type="radio"
                name={`${id}-${field}`}
                checked={isMine[field] === isOwn}
                onChange={() => setMine({ ...isMine, [field]: isOwn })}
              />
              <span className="fine">{isOwn ? "Yours" : "Saved"}</span>{" "}
              <Value>{(isOwn ? own : theirs).get(field)}</Value>
            </label>
          ))}
        </fieldset>
      ))}
      <div className="actions">
        <button
          type="button"
          className="primary"
          aria-disabled={isBusy || !isChosen}
          onClick={() => onSave(draftWith(new Map(all.flatMap(chosen))))}
        >
          Save these values
        </button>
        <button type="button" onClick={onDiscard}>
          Discard my changes
        </button>
      </div>
    </section>
  );
}

/** Returns who has changed the group since, as far as its history says so. */
function useAuthors({ id, baseVersion }: Pick<GroupConflictProps, "id" | "baseVersion">): string {
  const { userGroupHistoryDays } = useSession().viewer;
  const { data } = useQuery(GroupHistoryDocument, { id, first: MAX_AUTHORS }, userGroupHistoryDays > 0);
  const changes = data?.userGroup?.history.nodes.filter(({ version }) => version >= baseVersion) ?? [];
  const names = [...new Set(changes.map(({ replacedBy }) => replacedBy))];
  return names.length === 0 ? "Someone else" : new Intl.ListFormat("en").format(names);
}

function Value({ children }: { readonly children: ReactNode }) {
  return children === undefined ? (
    <em className="fine">Not set</em>
  ) : (
    <span className="code">{children}</span>
  );
}
