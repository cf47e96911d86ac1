import { useRef, useState } from "react";
import { type Failure, toFailure } from "../api/failure.js";
import {
  DeleteGroupsDocument,
  ExportGroupsDocument,
  RotateTokensDocument,
  type UserGroupFilter,
} from "../api/generated/operations.js";
import type { UserErrors } from "../api/user-errors.js";
import { ConfirmDialog } from "../parts/confirm-dialog.js";
import { useNotice } from "../parts/notices.js";
import { plural } from "../parts/plural.js";
import { useScope, useSession } from "../session/session.js";
import { useMutation } from "../session/use-mutation.js";
import { ChangeGroups } from "./change-groups.js";
import { saveGroups } from "./export-file.js";
import { gracePeriod } from "./grace-period.js";
import type { ListedGroup } from "./listed-group.js";

/** `nodes` returns at most this many. */
const MAX_SELECTED = 250;

type Selected = ReadonlyMap<string, ListedGroup>;

interface BulkActionsProps {
  readonly selected: Selected;
  /** The groups on the current page of the list. */
  readonly shown: readonly ListedGroup[];
  /** The filter of the list, and the number of groups that match it. */
  readonly filter: UserGroupFilter | undefined;
  readonly total: number | undefined;
  readonly onChange: (selected: Selected) => void;
  /** Called after groups were changed. */
  readonly onDone: () => void;
}

/** Actions on the selected groups. Groups that another user has deleted meanwhile are skipped. */
export function BulkActions({ selected, shown, filter, total, onChange, onDone }: BulkActionsProps) {
  const { client, viewer } = useSession();
  const [confirming, setConfirming] = useState<"change" | "delete" | "rotate" | null>(null);
  // The selection and the filter for which all groups of the list were selected.
  const [extended, setExtended] = useState<{ selected: Selected; filter: string; total: number } | null>(
    null,
  );
  // Then the selection is that of another list.
  const isChanged = useRef(false);
  const shownFilter = JSON.stringify(filter ?? null);
  // Its number stays, also if a change leaves none of the groups in the list.
  const all = extended?.selected === selected && extended.filter === shownFilter ? extended : null;
  const isAll = all !== null;
  const [errors, setErrors] = useState<UserErrors>([]);
  const remove = useMutation(DeleteGroupsDocument);
  const rotate = useMutation(RotateTokensDocument);
  const [failure, setFailure] = useState<Failure | null>(null);
  const canWrite = useScope("WRITE");
  const notify = useNotice();
  const ids = [...selected.keys()].slice(0, MAX_SELECTED);
  const groups = ids.map((id) => ({ id }));
  const count = plural(ids.length, "group");
  const hidden = selected.size - shown.filter(({ id }) => selected.has(id)).length;

  function confirm(action: "change" | "delete" | "rotate") {
    setErrors([]);
    setConfirming(action);
  }
  /** Ends an action on all groups or some of them; if it failed for all, the dialog shows why. */
  function finish(done: number, verb: string, failed: UserErrors) {
    setErrors(done === 0 ? failed : []);
    onDone();
    if (done === 0) return;
    notify(`${done} of ${count} ${verb}.${failed[0] ? ` ${failed[0].message}` : ""}`);
    setConfirming(null);
    onChange(new Map([...selected].slice(MAX_SELECTED)));
  }
  async function runDelete() {
    const payload = await remove.run({ groups });
    if (!payload) return;
    const deleted = payload.results.filter(({ deletedUserGroupId }) => deletedUserGroupId !== null);
    finish(deleted.length, "deleted", payload.userErrors);
  }
  async function runRotate() {
    const payload = await rotate.run({ groups });
    if (!payload) return;
    const rotated = payload.results.filter(({ userGroup }) => userGroup !== null);
    finish(rotated.length, "rotated", payload.userErrors);
  }
  async function runExport() {
    setFailure(null);
    try {
      const { nodes } = await client.call(ExportGroupsDocument, { ids });
      saveGroups(nodes.flatMap((node) => (node?.__typename === "UserGroup" ? [node] : [])));
      notify(`${count} exported.`);
    } catch (error) {
      setFailure(toFailure(error));
    }
  }
  // A section keeps the focus when one of its buttons is removed.
  return (
    <section className="bulk" aria-label="Selected groups">
      <p role="status">
        {isAll ? `All ${plural(all.total, "group")} selected` : `${selected.size} selected`}
        {!isAll && hidden > 0 && `, ${hidden} of them not on this page`}
        {!isAll && selected.size > MAX_SELECTED && `; actions apply to the first ${MAX_SELECTED}`}
        {failure && `. The export failed: ${failure.message}`}
      </p>
      {canWrite && !isAll && total !== undefined && total > selected.size && (
        <button type="button" onClick={() => setExtended({ selected, filter: shownFilter, total })}>
          Select all {total.toLocaleString()}
          {filter ? " that match" : ""}
        </button>
      )}
      {canWrite && (
        <button type="button" onClick={() => confirm("change")}>
          Change…
        </button>
      )}
      {canWrite && !isAll && (
        <button type="button" onClick={() => confirm("rotate")}>
          Rotate tokens…
        </button>
      )}
      {!isAll && (
        <button type="button" onClick={() => void runExport()}>
          Export selected
        </button>
      )}
      {canWrite && !isAll && (
        <button type="button" className="danger" onClick={() => confirm("delete")}>
          Delete…
        </button>
      )}
      <button type="button" className="quiet" onClick={() => onChange(new Map())}>
        Clear selection
      </button>
      {confirming === "change" && (
        <ChangeGroups
          groups={
            isAll
              ? { ...(filter ? { filter } : { all: true }), expectedCount: all.total }
              : { userGroups: groups }
          }
          total={isAll ? all.total : ids.length}
          onClose={() => {
            setConfirming(null);
            if (isChanged.current) onChange(new Map());
          }}
          onDone={() => {
            isChanged.current = true;
            onDone();
          }}
        />
      )}
      {confirming === "delete" && (
        <ConfirmDialog
          title={`Delete ${count}?`}
          action={`Delete ${count}`}
          typed={String(ids.length)}
          mutation={{ ...remove, errors }}
          onConfirm={() => void runDelete()}
          onClose={() => setConfirming(null)}
        >
          <Names selected={selected} ids={ids} />
          <p>Their mappings are deleted and their tokens stop working. This cannot be undone.</p>
        </ConfirmDialog>
      )}
      {confirming === "rotate" && (
        <ConfirmDialog
          title={`Rotate the tokens of ${count}?`}
          action="Rotate tokens"
          mutation={{ ...rotate, errors }}
          onConfirm={() => void runRotate()}
          onClose={() => setConfirming(null)}
        >
          <Names selected={selected} ids={ids} />
          <p>
            Each gets a new token, and its embed sessions end. The old token{" "}
            {gracePeriod(viewer.tokenGraceSeconds)}. Update the pages that use them.
          </p>
        </ConfirmDialog>
      )}
    </section>
  );
}

const MAX_NAMES = 5;

function Names({ selected, ids }: { readonly selected: Selected; readonly ids: readonly string[] }) {
  const names = ids.slice(0, MAX_NAMES).map((id) => selected.get(id)?.name);
  const rest = ids.length - names.length;
  return (
    <p>
      <strong>{names.join(", ")}</strong>
      {rest > 0 && ` and ${rest} more`}
    </p>
  );
}
