import { useEffect, useState } from "react";
import { type GroupPartsFragment, UpdateGroupDocument } from "../api/generated/operations.js";
import { isConflict, otherErrors } from "../api/user-errors.js";
import { Form } from "../parts/form.js";
import { Problem } from "../parts/problem.js";
import { useUnsaved } from "../routing/navigation.js";
import { useScope } from "../session/session.js";
import { useMutation } from "../session/use-mutation.js";
import { GroupConflict } from "./group-conflict.js";
import {
  changesBetween,
  draftOf,
  type GroupDraft,
  isUnchanged,
  parseProperties,
  unaddedProperty,
} from "./group-draft.js";
import { GROUP_FIELDS, GroupFields } from "./group-fields.js";
import { useUndoNotice } from "./undo.js";

/** The error of saving a version that is known to be outdated. */
const CONFLICT = { code: "VERSION_CONFLICT", field: null, message: "The group was changed." } as const;

export interface GroupProps {
  readonly group: GroupPartsFragment;
  /** Called with a newer version of the group. */
  readonly onUpdate: (group: GroupPartsFragment) => void;
}

interface GroupFormProps extends GroupProps {
  /** Called when another client has changed the group: `group` must be loaded again. */
  readonly onConflict: () => void;
  /** Called with each edit, except while the properties are not JSON. */
  readonly onDraft: (draft: GroupDraft) => void;
}

/** Edits a group. Changes by other clients are not overwritten without confirmation. */
export function GroupForm({ group, onUpdate, onConflict, onDraft }: GroupFormProps) {
  const [base, setBase] = useState(group);
  const [draft, setDraft] = useState(() => draftOf(group));
  const update = useMutation(UpdateGroupDocument);
  const { errors, setErrors } = update;
  const canWrite = useScope("WRITE");
  const notify = useUndoNotice(onUpdate);
  const changes = changesBetween(draftOf(base), draft);
  const isDirty = Object.keys(changes).length > 0 || draft.newProperty !== "";
  const { parseError } = parseProperties(draft.properties);
  const isOutdated = isDirty && !update.isBusy && !isUnchanged(base, group);
  useUnsaved(isDirty);
  useEffect(() => {
    if (parseError === undefined) onDraft(draft);
  }, [parseError, draft, onDraft]);

  if (group !== base && !isDirty) startFrom(group);
  // A newer version with equal contents, for example after a rotation, is no conflict.
  else if (group !== base && isUnchanged(base, group)) setBase(group);

  function startFrom(next: GroupPartsFragment) {
    setBase(next);
    setDraft(draftOf(next));
    setErrors([]);
  }

  async function save() {
    if (parseError !== undefined || !isDirty) return;
    const unadded = unaddedProperty(draft);
    if (unadded.length > 0) return setErrors(unadded);
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
      <GroupFields
        draft={draft}
        errors={errors}
        isReadOnly={!canWrite}
        onChange={(next) => {
          setDraft(next);
          setErrors([]);
        }}
      />
      <Problem failure={update.failure} errors={conflict ? [] : otherErrors(errors, GROUP_FIELDS)} />
      {conflict && (
        <GroupConflict
          key={conflict.version}
          base={draftOf(base)}
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
      {canWrite && isOutdated && !conflict && (
        <p className="callout conflict">This group was changed elsewhere while you were editing.</p>
      )}
      {canWrite && !conflict && (
        <div className="actions">
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
