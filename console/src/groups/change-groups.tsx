import { useEffect, useRef, useState } from "react";
import { toFailure } from "../api/failure.js";
import {
  ChangeGroupsDocument,
  RestoreGroupDocument,
  type UpdateUserGroupsInput,
} from "../api/generated/operations.js";
import { Choice } from "../parts/choice.js";
import { CloseAction, Dialog } from "../parts/dialog.js";
import { Field, TextField } from "../parts/field.js";
import { plural } from "../parts/plural.js";
import { Problem } from "../parts/problem.js";
import { saveFile } from "../parts/save-file.js";
import { useSession } from "../session/session.js";
import { useMutation } from "../session/use-mutation.js";
import { DataSourceField } from "./data-source-picker.js";
import { toValue } from "./group-filters.js";

export type ChangedGroups = Pick<UpdateUserGroupsInput, "userGroups" | "filter" | "all" | "expectedCount">;

interface ChangeGroupsProps {
  readonly groups: ChangedGroups;
  readonly total: number;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

const ACTIONS = {
  set: "Set a property",
  remove: "Remove a property",
  map: "Map a schema to a data source",
  unmap: "Remove a schema from the mapping",
} as const;
type Action = keyof typeof ACTIONS;

/** The result for a group, as it can be downloaded. */
interface Result {
  readonly id: string | undefined;
  readonly version: number | undefined;
  readonly provided_id: string | null;
  readonly name: string | null;
  readonly is_changed: boolean;
  readonly error?: string;
}

interface Progress {
  readonly step: keyof typeof VERBS;
  readonly isEnded: boolean;
  readonly results: readonly Result[];
}

/** Verbs for the groups that a step has changed. */
const VERBS = { preview: "would change", change: "changed", undo: "restored" } as const;
/** Restorations at a time. */
const BATCH = 10;
const MAX_NAMES = 5;

/** Makes the same change to many groups, after a preview of what will change. */
export function ChangeGroups({ groups, total, onClose, onDone }: ChangeGroupsProps) {
  const [action, setAction] = useState<Action>("set");
  const [name, setName] = useState("");
  const [value, setValue] = useState("");
  const [progress, setProgress] = useState<Progress | null>(null);
  const isOpen = useRef(true);
  const change = useMutation(ChangeGroupsDocument);
  const { client, viewer } = useSession();
  const isMapping = action === "map" || action === "unmap";
  useEffect(() => {
    isOpen.current = true;
    return () => {
      isOpen.current = false;
    };
  }, []);

  /** Calls the service until all groups are done, or the dialog is closed. */
  async function run(dryRun: boolean) {
    const results: Result[] = [];
    let after: string | null = null;
    do {
      const input = { ...groups, ...inputOf(action, name, value), dryRun, allOrNothing: false };
      const payload = await change.run({ input: after === null ? input : { ...input, after } });
      if (!payload) break;
      for (const { userGroup, isChanged, userErrors } of payload.results) {
        results.push({
          id: userGroup?.id,
          version: userGroup?.version,
          provided_id: userGroup?.providedId ?? null,
          name: userGroup?.name ?? null,
          is_changed: isChanged,
          ...(userErrors[0] ? { error: userErrors[0].message } : {}),
        });
      }
      if (results.length === 0 && payload.userErrors.length > 0) break;
      after = payload.endCursor;
      setProgress({ step: dryRun ? "preview" : "change", isEnded: after === null, results: [...results] });
    } while (after !== null && isOpen.current);
    if (!dryRun) onDone();
  }

  /** Restores the former values of groups that have not been changed since. */
  async function undo(changes: readonly Result[]) {
    const restore = async (change: Result) => {
      const { id = "", version = 0 } = change;
      try {
        const input = { by: { id }, version: version - 1, expectedVersion: version };
        const { userErrors } = (await client.call(RestoreGroupDocument, { input })).restoreUserGroup;
        return userErrors[0] ? { ...change, is_changed: false, error: userErrors[0].message } : change;
      } catch (error) {
        return { ...change, is_changed: false, error: toFailure(error).message };
      }
    };
    for (const results: Result[] = []; ; ) {
      const isEnded = results.length === changes.length;
      setProgress({ step: "undo", isEnded, results: [...results] });
      if (isEnded || !isOpen.current) break;
      const batch = changes.slice(results.length, results.length + BATCH);
      results.push(...(await Promise.all(batch.map(restore))));
    }
    onDone();
  }

  function edit(next: () => void) {
    setProgress(null);
    next();
  }
  const count = plural(total, "group");
  const isReady = progress?.step === "preview" && progress.isEnded;
  const changes = progress?.results.filter((result) => result.is_changed) ?? [];
  const changed = changes.length;
  if (progress?.step === "undo" || (progress?.step === "change" && progress.isEnded)) {
    return (
      <Dialog title={`Change ${count}`} onClose={onClose}>
        <div role="status">
          <Summary progress={progress} />
          {!progress.isEnded && <p>Further groups are being restored…</p>}
        </div>
        <div className="actions">
          <button type="button" onClick={() => saveResults(progress.results)}>
            Download the result
          </button>
          {progress.step === "change" && changed > 0 && viewer.userGroupHistoryDays > 0 && (
            <button type="button" onClick={() => void undo(changes)}>
              Undo
            </button>
          )}
        </div>
        <CloseAction onClose={onClose} />
      </Dialog>
    );
  }
  return (
    <Dialog title={`Change ${count}`} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (!change.isBusy) void run(!isReady);
        }}
      >
        <Field label="Change">
          {(control) => (
            <Choice
              {...control}
              choices={ACTIONS}
              value={action}
              onChange={(chosen) =>
                edit(() => {
                  setAction(chosen);
                  setValue("");
                })
              }
            />
          )}
        </Field>
        <TextField
          label={isMapping ? "Schema" : "Property"}
          spellCheck={false}
          value={name}
          onChange={(text) => edit(() => setName(text))}
        />
        {action === "set" && (
          <TextField
            label="Value"
            hint="Text, a number, true, false, or JSON."
            spellCheck={false}
            value={value}
            onChange={(text) => edit(() => setValue(text))}
          />
        )}
        {action === "map" && (
          <DataSourceField
            label="Data source"
            value={value}
            onChange={(next) => edit(() => setValue(next))}
          />
        )}
        <div role="status">
          {progress && <Summary progress={progress} />}
          {change.isBusy && (
            <p>
              <progress value={progress?.results.length ?? 0} max={total} />{" "}
              {(progress?.results.length ?? 0).toLocaleString()} of {total.toLocaleString()}
            </p>
          )}
        </div>
        <Problem failure={change.failure} errors={progress ? [] : change.errors} />
        <div className="actions end">
          <button type="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" className="primary" disabled={change.isBusy || (isReady && changed === 0)}>
            {isReady ? `Change ${plural(changed, "group")}` : "Preview"}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

/** The numbers of a preview or a result, with examples. */
function Summary({ progress: { step, results } }: { readonly progress: Progress }) {
  const changed = results.filter((result) => result.is_changed);
  const refused = results.filter(({ error }) => error !== undefined);
  const equal = results.length - changed.length - refused.length;
  const names = changed.slice(0, MAX_NAMES).map((result) => result.name);
  return (
    <>
      <p>
        {plural(changed.length, "group")} {VERBS[step]}
        {equal > 0 && `, ${equal.toLocaleString()} already ${step === "preview" ? "have" : "had"} this value`}
        {refused.length > 0 && `, ${refused.length.toLocaleString()} refused`}.
      </p>
      {names.length > 0 && (
        <p className="fine">
          {names.join(", ")}
          {changed.length > names.length && " and others"}
        </p>
      )}
      {refused[0] && (
        <p className="error">
          {refused[0].name ?? "A group"}: {refused[0].error}
        </p>
      )}
    </>
  );
}

function inputOf(
  action: Action,
  name: string,
  value: string,
): Pick<UpdateUserGroupsInput, "propertiesPatch" | "setMapping" | "removeMapping"> {
  switch (action) {
    case "set":
      return { propertiesPatch: { [name]: toValue(value) } };
    case "remove":
      return { propertiesPatch: { [name]: null } };
    case "map":
      return { setMapping: [{ schemaId: name, dataSource: value }] };
    case "unmap":
      return { removeMapping: [name] };
  }
}

function saveResults(results: readonly Result[]): void {
  saveFile("changes.jsonl", results.map((result) => `${JSON.stringify(result)}\n`).join(""));
}
