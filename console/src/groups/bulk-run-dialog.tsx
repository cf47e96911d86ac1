import { useEffect, useRef } from "react";
import { Dialog } from "../parts/dialog.js";
import { plural } from "../parts/plural.js";
import { Problem } from "../parts/problem.js";
import { useSession } from "../session/session.js";
import type { BulkJob } from "./bulk-jobs.js";
import { useBulkRun } from "./use-bulk-run.js";

interface BulkRunDialogProps {
  readonly job: BulkJob;
  /** Undoes the change of the job instead of continuing it. */
  readonly isUndo?: boolean;
  readonly onClose: () => void;
  /** Called after groups were changed. */
  readonly onDone: () => void;
}

/** Runs a change of many groups, or its undo, and shows its progress. If it is interrupted, it can be continued, undone or downloaded. */
export function BulkRunDialog({ job: first, isUndo = false, onClose, onDone }: BulkRunDialogProps) {
  const { viewer } = useSession();
  const { job, state, failure, errors, refusals, resume, stop, undo, download } = useBulkRun(first);
  const isBegun = useRef(false);
  const { total, done, changed, refused, work } = job;
  const isUndoing = "undoOf" in work;
  const equal = done - changed - refused;
  const run = (begin: () => Promise<void>) => void begin().then(onDone);
  useEffect(() => {
    // Once, also in strict mode.
    if (isBegun.current) return;
    isBegun.current = true;
    run(isUndo ? undo : resume);
  });
  return (
    <Dialog
      title={isUndoing ? `Undo the change of ${plural(total, "group")}` : `Change ${plural(total, "group")}`}
      onClose={state === "running" ? stop : onClose}
    >
      {state !== "ended" && (
        <p>
          <progress aria-label="Progress" value={done} max={Math.max(total, done)} /> {done.toLocaleString()}{" "}
          of {total.toLocaleString()}{" "}
          {/* Not where Undo and Continue are: a double click would stop what they begin. */}
          {state === "running" && (
            <button type="button" className="quiet" onClick={stop}>
              Stop
            </button>
          )}
        </p>
      )}
      <div role="status">
        {state === "stopped" && <p>Interrupted.</p>}
        <p>
          {plural(changed, "group")} {isUndoing ? "restored" : "changed"}
          {equal > 0 &&
            `, ${equal.toLocaleString()} already had ${isUndoing ? "the former values" : "this value"}`}
          {refused > 0 && `, ${refused.toLocaleString()} refused`}.
        </p>
      </div>
      {refusals[0] && (
        <p className="error">
          {refusals[0].name}: {refusals[0].message}
        </p>
      )}
      <Problem failure={failure} errors={errors} />
      {state !== "running" && (
        <div className="actions end">
          <button type="button" onClick={onClose}>
            Close
          </button>
          <button type="button" onClick={() => void download()}>
            Download
          </button>
          {!isUndoing && viewer.userGroupHistoryDays > 0 && (done > 0 || state === "stopped") && (
            <button type="button" onClick={() => run(undo)}>
              Undo
            </button>
          )}
          {state === "stopped" && (
            <button type="button" className="primary" onClick={() => run(resume)}>
              Continue
            </button>
          )}
        </div>
      )}
    </Dialog>
  );
}
