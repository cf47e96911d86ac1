import { type ReactNode, useEffect, useId, useRef, useState } from "react";
import { draftWith, type GroupDraft, valuesOf } from "./group-draft.js";

interface GroupConflictProps {
  /** The version before both changes. */
  readonly base: GroupDraft;
  readonly mine: GroupDraft;
  readonly saved: GroupDraft;
  readonly isBusy: boolean;
  readonly onSave: (merged: GroupDraft) => void;
  readonly onDiscard: () => void;
}

/** Shows each field whose value differs from the one that someone else saved meanwhile, and asks which one to keep. */
export function GroupConflict({ base, mine, saved, isBusy, onSave, onDiscard }: GroupConflictProps) {
  const id = useId();
  const section = useRef<HTMLElement>(null);
  useEffect(() => section.current?.focus(), []);
  const [before, own, theirs] = [valuesOf(base), valuesOf(mine), valuesOf(saved)];
  const all = [...new Set([...theirs.keys(), ...own.keys()])];
  const fields = all.filter((field) => own.get(field) !== theirs.get(field));
  // A field that only one side has changed keeps the change.
  const [isMine, setMine] = useState<Readonly<Record<string, boolean>>>(() =>
    Object.fromEntries(fields.map((field) => [field, own.get(field) !== before.get(field)])),
  );
  const chosen = (field: string) => {
    const value = (isMine[field] ? own : theirs).get(field);
    return value === undefined ? [] : [[field, value] as const];
  };
  return (
    <section className="callout conflict" ref={section} tabIndex={-1} aria-labelledby={id}>
      <h2 id={id}>Someone else saved this group while you were editing</h2>
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
                checked={(isMine[field] ?? false) === isOwn}
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
          aria-disabled={isBusy}
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

function Value({ children }: { readonly children: ReactNode }) {
  return children === undefined ? (
    <em className="fine">Not set</em>
  ) : (
    <span className="code">{children}</span>
  );
}
