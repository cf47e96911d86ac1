import { useEffect, useRef, useState } from "react";
import type { Client } from "../api/client.js";
import { type Failure, toFailure } from "../api/failure.js";
import {
  BulkChangeDocument,
  ChangeGroupsDocument,
  type ChangeGroupsMutation,
  UndoBulkChangeDocument,
  type UndoBulkChangeInput,
  type UndoBulkChangeMutation,
} from "../api/generated/operations.js";
import { newUuid } from "../api/new-uuid.js";
import type { UserErrors } from "../api/user-errors.js";
import { saveFile } from "../parts/save-file.js";
import { useUnsaved } from "../routing/navigation.js";
import { useSession } from "../session/session.js";
import { type BulkJob, newJob, showJob, useBulkJobs } from "./bulk-jobs.js";
import { type Refusal, refusalOf } from "./change-preview.js";

type Page = ChangeGroupsMutation["updateUserGroups"] | UndoBulkChangeMutation["undoBulkChange"];

/** Runs a change of many groups or its undo, page by page, until it ends, fails or is stopped. What is left can be continued. */
export function useBulkRun(first: BulkJob) {
  const { client } = useSession();
  const { saveJob, removeJob } = useBulkJobs();
  const [job, setJob] = useState(first);
  const [state, setState] = useState<"running" | "stopped" | "ended">("running");
  const [failure, setFailure] = useState<Failure | null>(null);
  const [errors, setErrors] = useState<UserErrors>([]);
  const [refusals, setRefusals] = useState<readonly Refusal[]>([]);
  const isStopping = useRef(false);
  const isShown = useRef(true);
  useUnsaved(state === "running");
  useEffect(() => {
    isShown.current = true;
    return () => {
      isShown.current = false;
      isStopping.current = true;
      showJob(null);
    };
  }, []);

  async function run(begun: BulkJob) {
    isStopping.current = false;
    setState("running");
    setFailure(null);
    setErrors([]);
    showJob(begun.id);
    let current = begun;
    let isEnded = false;
    const keep = (next: BulkJob) => {
      current = next;
      // Afterwards, somebody may have signed out.
      if (isShown.current) saveJob(next);
      setJob(next);
    };
    try {
      keep(begun);
      while (!isEnded && !isStopping.current) {
        const page = await callPage(client, current);
        if (page.results.length === 0 && page.userErrors.length > 0) return setErrors(page.userErrors);
        const refused = page.results.flatMap(refusalOf);
        setRefusals((others) => [...others, ...refused]);
        isEnded = page.endCursor === null;
        keep({
          ...current,
          after: page.endCursor,
          done: current.done + page.results.length,
          changed: current.changed + page.results.filter(({ isChanged }) => isChanged).length,
          refused: current.refused + refused.length,
        });
      }
      if (!isEnded) return;
      removeJob(current.id);
      // Calls whose reply was lost have changed groups, too.
      const { bulkChange } = await client.call(BulkChangeDocument, { id: current.id });
      setJob({ ...current, changed: bulkChange?.changedCount ?? current.changed });
    } catch (error) {
      setFailure(toFailure(error));
    } finally {
      setState(isEnded ? "ended" : "stopped");
    }
  }

  return {
    job,
    state,
    failure,
    errors,
    refusals,
    resume: () => run(job),
    stop: () => {
      isStopping.current = true;
    },
    /** Undoes the change instead of continuing it. */
    undo: () => {
      removeJob(job.id);
      setRefusals([]);
      return run(newJob({ undoOf: job.id }, job.changed));
    },
    download: async () => {
      try {
        await downloadChange(client, job.id, refusals);
      } catch (error) {
        setFailure(toFailure(error));
      }
    },
  };
}

async function callPage(client: Client, { id, work, after }: BulkJob): Promise<Page> {
  if ("undoOf" in work) {
    const input = { id: work.undoOf, bulkChangeId: id, after };
    return (await client.call(UndoBulkChangeDocument, { input })).undoBulkChange;
  }
  const page = after === null ? work : { ...work, after };
  const input = { ...page, bulkChangeId: id, allOrNothing: false };
  return (await client.call(ChangeGroupsDocument, { input, withMapping: false })).updateUserGroups;
}

/** Saves the groups that a bulk change has changed, and whether each can be restored, as JSON lines. @param refusals are added */
export async function downloadChange(
  client: Client,
  id: string,
  refusals: readonly Refusal[] = [],
): Promise<void> {
  const lines: object[] = [];
  const bulkChangeId = newUuid();
  let after: string | null = null;
  do {
    const input: UndoBulkChangeInput = { id, bulkChangeId, after, dryRun: true };
    const { undoBulkChange }: UndoBulkChangeMutation = await client.call(UndoBulkChangeDocument, { input });
    for (const { userGroupId, userGroup, userErrors } of undoBulkChange.results) {
      const { providedId = null, name = null } = userGroup ?? {};
      const error = userErrors[0]?.message;
      lines.push({
        id: userGroupId,
        provided_id: providedId,
        name,
        is_changed: true,
        can_undo: !error,
        error,
      });
    }
    after = undoBulkChange.endCursor;
  } while (after !== null);
  for (const { name, message } of refusals) lines.push({ name, is_changed: false, error: message });
  saveFile("changes.jsonl", lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
}
