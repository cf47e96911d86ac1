import { useSyncExternalStore } from "react";
import { parseJson } from "../api/exact-json.js";
import type { UpdateUserGroupsInput } from "../api/generated/operations.js";
import { newUuid } from "../api/new-uuid.js";
import { useSession } from "../session/session.js";

const STORAGE_KEY = "user-groups:bulk-changes";

/** A change of many groups, or its undo, that takes several calls. It is kept in the browser until it ends, so that it can be continued. */
export interface BulkJob {
  /** The ID of the bulk change. */
  readonly id: string;
  /** The groups and the change; the ID of the bulk change to undo for an undo. */
  readonly work: UpdateUserGroupsInput | { readonly undoOf: string };
  /** The number of groups at its beginning. */
  readonly total: number;
  /** The cursor of the next call. */
  readonly after: string | null;
  /** The numbers of groups that are done, and of those that were changed and refused. */
  readonly done: number;
  readonly changed: number;
  readonly refused: number;
}

/** Returns a change or an undo that has not begun. */
export function newJob(work: BulkJob["work"], total: number): BulkJob {
  return { id: newUuid(), work, total, after: null, done: 0, changed: 0, refused: 0 };
}

type Jobs = Readonly<Record<string, Readonly<Record<string, BulkJob>>>>;

/** The ID of the job whose dialog is open. */
let shown: string | null = null;

/** Sets the job whose dialog is open, in which it can be continued. */
export function showJob(id: string | null): void {
  shown = id;
  dispatchEvent(new StorageEvent("storage"));
}

/** The jobs of this person or key in the account and environment, without the one whose dialog is open. */
export function useBulkJobs() {
  const { viewer, browser, keyHint } = useSession();
  const owner = [viewer.accountName, viewer.environment, browser.person?.name ?? keyHint].join(" ");
  const stored = parseJson<Jobs>(useSyncExternalStore(subscribe, readText));
  const open = useSyncExternalStore(subscribe, () => shown);
  const change = (update: (jobs: Jobs[string]) => Jobs[string]) => {
    const jobs = parseJson<Jobs>(readText());
    localStorage.setItem(STORAGE_KEY, JSON.stringify({ ...jobs, [owner]: update(jobs[owner] ?? {}) }));
    dispatchEvent(new StorageEvent("storage"));
  };
  return {
    jobs: Object.values(stored[owner] ?? {}).filter(({ id }) => id !== open),
    saveJob: (job: BulkJob) => change((jobs) => ({ ...jobs, [job.id]: job })),
    removeJob: (id: string) => change(({ [id]: _, ...others }) => others),
  };
}

/** Removes the jobs: their filters and values are customer data. */
export function clearBulkJobs(): void {
  localStorage.removeItem(STORAGE_KEY);
}

function readText(): string {
  return localStorage.getItem(STORAGE_KEY) ?? "{}";
}

function subscribe(onChange: () => void): () => void {
  addEventListener("storage", onChange);
  return () => removeEventListener("storage", onChange);
}
