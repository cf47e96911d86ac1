import { useCallback, useEffect, useMemo, useState } from "react";
import { type GroupPartsFragment, UpdateGroupDocument } from "../api/generated/operations.js";
import { isConflict, otherErrors, type UserErrors } from "../api/user-errors.js";
import { CopyButton } from "../parts/copy-button.js";
import { Form } from "../parts/form.js";
import { Problem } from "../parts/problem.js";
import { useDebounced } from "../parts/use-debounced.js";
import { useUnsaved } from "../routing/navigation.js";
import { useScope, useSession } from "../session/session.js";
import { useMutation } from "../session/use-mutation.js";
import { GroupConflict } from "./group-conflict.js";
import { changesBetween, draftOf, type GroupDraft, isUnchanged, unfinishedProperty } from "./group-draft.js";
import { GROUP_FIELDS, GroupFields } from "./group-fields.js";
import { useUndoNotice } from "./undo.js";

const NO_ERRORS: UserErrors = [];

/** The error of saving a version that is known to be outdated. */
const CONFLICT = { code: "VERSION_CONFLICT", field: null, message: "The group was changed." } as const;

export interface GroupProps {
  readonly group: GroupPartsFragment;
  /** Called with a newer version of the group. */
  readonly onUpdate: (group: GroupPartsFragment) => void;
}

interface GroupFormProps extends GroupProps {
  readonly isDeleted: boolean;
  /** Called when another client has changed the group: `group` must be loaded again. */
  readonly onConflict: () => void;
  /** Called with the edited group after a pause, except while the properties are not JSON. */
  readonly onDraft: (draft: GroupDraft) => void;
}

/** Edits a group. Changes by other clients are not overwritten without confirmation. */
export function GroupForm({ group, isDeleted, onUpdate, onConflict, onDraft }: GroupFormProps) {
  const { browser } = useSession();
  /** The version that is edited. */
  const [{ base, start }, setBase] = useState(() => ({ base: group, start: draftOf(group) }));
  const [draft, setDraft] = useState(start);
  const update = useMutation(UpdateGroupDocument);
  const { setErrors } = update;
  const errors = useMemo(() => update.errors.map(ofWhole), [update.errors]);
  const canWrite = useScope("WRITE");
  const notify = useUndoNotice(onUpdate);
  const changes = changesBetween(start, draft);
  const isDirty = Object.keys(changes).length > 0 || unfinishedProperty(draft).length > 0;
  const { parseError } = draft.properties;
  const isOutdated = isDirty && !update.isBusy && !isUnchanged(base, group);
  useUnsaved(isDirty);
  const settled = useDebounced(draft);
  const drawn = isDirty ? settled : draft;
  useEffect(() => {
    if (drawn.properties.parseError === undefined) onDraft(drawn);
  }, [drawn, onDraft]);
  const edit = useCallback(
    (change: (before: GroupDraft) => GroupDraft) => {
      setDraft(change);
      setErrors(NO_ERRORS);
    },
    [setErrors],
  );

  if (group !== base && !isDirty) startFrom(group);
  // A newer version with equal contents, for example after a rotation, is no conflict.
  else if (group !== base && isUnchanged(base, group)) setBase({ base: group, start: draftOf(group) });

  function startFrom(next: GroupPartsFragment) {
    const loaded = draftOf(next);
    setBase({ base: next, start: loaded });
    setDraft(loaded);
    setErrors(NO_ERRORS);
  }

  async function save() {
    if (parseError !== undefined || !isDirty) return;
    const unfinished = unfinishedProperty(draft);
    if (unfinished.length > 0) return setErrors(unfinished);
    if (isOutdated) return setErrors([CONFLICT]);
    await send(base, draft);
  }

  async function send(before: GroupPartsFragment, after: GroupDraft) {
    const changed = changesBetween(draftOf(before), after);
    if (Object.keys(changed).length === 0) return startFrom(before);
    const payload = await update.run({
      input: { by: { id: group.id }, expectedVersion: before.version, ...changed },
    });
    if (!payload) return;
    const { userGroup, userErrors } = payload;
    if (isConflict(userErrors)) onConflict();
    if (!userGroup) return;
    startFrom(userGroup);
    onUpdate(userGroup);
    notify("The group was saved.", before, userGroup);
  }
  const conflict = isConflict(errors) && group !== base ? group : null;
  return (
    <Form
      className="card"
      aria-label="Group"
      errors={errors}
      isInvalid={parseError !== undefined}
      onSubmit={() => void save()}
    >
      <GroupFields draft={draft} errors={errors} isReadOnly={!canWrite} onEdit={edit} />
      <Problem failure={update.failure} errors={conflict ? [] : otherErrors(errors, GROUP_FIELDS)} />
      {conflict && (
        <GroupConflict
          key={conflict.version}
          id={group.id}
          baseVersion={base.version}
          base={start}
          mine={draft}
          saved={draftOf(conflict)}
          isBusy={update.isBusy}
          onSave={(merged) => {
            setDraft(merged);
            void send(conflict, merged);
          }}
          onDiscard={() => startFrom(conflict)}
        />
      )}
      {!canWrite && isDirty && (
        <div className="callout conflict" role="alert">
          <p>
            {!isDeleted && `Your ${browser.person ? "role" : "API key"} no longer allows changing groups. `}
            What you typed cannot be saved. You can copy it until you leave the page.
          </p>
          <CopyButton label="Unsaved changes" text={JSON.stringify(changes, null, 2)} />
        </div>
      )}
      {canWrite && isOutdated && !conflict && (
        <p className="callout conflict" role="status">
          This group was changed elsewhere while you were editing.
        </p>
      )}
      {canWrite && !conflict && (
        <div className="actions save-bar">
          <button
            type="submit"
            className="primary"
            aria-keyshortcuts="Control+S"
            aria-disabled={!isDirty || update.isBusy}
          >
            {isOutdated ? "Show changes" : "Save"}
          </button>
          {isDirty && (
            <button type="button" onClick={() => startFrom(group)}>
              Discard changes
            </button>
          )}
        </div>
      )}
    </Form>
  );
}

/** Returns an error of a patch as that of the properties, whatever was sent of them. */
function ofWhole(error: UserErrors[number]): UserErrors[number] {
  const { field, message } = error;
  if (field?.[0] !== "propertiesPatch") return error;
  return {
    ...error,
    field: ["properties", ...field.slice(1)],
    message: message.replace(/^propertiesPatch/, "properties"),
  };
}
