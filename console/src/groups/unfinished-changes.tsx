import { useState } from "react";
import { BulkChangeDocument } from "../api/generated/operations.js";
import { plural } from "../parts/plural.js";
import { useScope, useSession } from "../session/session.js";
import { useQuery } from "../session/use-query.js";
import { type BulkJob, useBulkJobs } from "./bulk-jobs.js";
import { BulkRunDialog } from "./bulk-run-dialog.js";
import { DownloadChange } from "./download-change.js";

/** The changes of many groups that were interrupted in this browser, also by a reload. */
export function UnfinishedChanges({ onDone }: { readonly onDone: () => void }) {
  const { jobs, removeJob } = useBulkJobs();
  const [opened, setOpened] = useState<{ readonly job: BulkJob; readonly isUndo: boolean } | null>(null);
  if (!useScope("WRITE")) return null;
  return (
    <>
      {jobs.map((job) => (
        <Unfinished
          key={job.id}
          job={job}
          onOpen={(current, isUndo) => setOpened({ job: current, isUndo })}
          onDismiss={() => removeJob(job.id)}
        />
      ))}
      {opened && <BulkRunDialog {...opened} onClose={() => setOpened(null)} onDone={onDone} />}
    </>
  );
}

interface UnfinishedProps {
  readonly job: BulkJob;
  readonly onOpen: (job: BulkJob, isUndo: boolean) => void;
  readonly onDismiss: () => void;
}

function Unfinished({ job, onOpen, onDismiss }: UnfinishedProps) {
  const { viewer } = useSession();
  // The reply to the last call may have been lost.
  const { data } = useQuery(BulkChangeDocument, { id: job.id });
  const changed = data?.bulkChange?.changedCount ?? job.changed;
  const isUndoing = "undoOf" in job.work;
  const current = { ...job, changed };
  return (
    <section className="callout unfinished" aria-label={isUndoing ? "Unfinished undo" : "Unfinished change"}>
      <p>
        <strong>{isUndoing ? "An undo was interrupted." : "A change was interrupted."}</strong>{" "}
        {changed.toLocaleString()} of {plural(job.total, "group")} {isUndoing ? "restored" : "changed"}.{" "}
        <span className="fine">If it runs in another tab, let it end there.</span>
      </p>
      <div className="actions">
        <button type="button" className="primary" onClick={() => onOpen(current, false)}>
          Continue
        </button>
        {!isUndoing && changed > 0 && viewer.userGroupHistoryDays > 0 && (
          <button type="button" onClick={() => onOpen(current, true)}>
            Undo
          </button>
        )}
        <DownloadChange id={job.id} />
        <button type="button" className="quiet" onClick={onDismiss}>
          Dismiss
        </button>
      </div>
    </section>
  );
}
