import { useEffect, useState } from "react";
import { toFailure } from "../api/failure.js";
import { GroupDocument, type GroupPartsFragment, UpdateGroupDocument } from "../api/generated/operations.js";
import { isConflict, otherErrors } from "../api/user-errors.js";
import { Form } from "../parts/form.js";
import { useNotice } from "../parts/notices.js";
import { Problem } from "../parts/problem.js";
import { useUnsaved } from "../routing/navigation.js";
import { useScope, useSession } from "../session/session.js";
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

interface GroupFormProps {
  readonly group: GroupPartsFragment;
  /** Called with a newer version of the group. */
  readonly onUpdate: (group: GroupPartsFragment) => void;
  /** Called with each edit, except while the properties are not JSON. */
  readonly onDraft: (draft: GroupDraft) => void;
}

/** Edits a group. Changes by other clients are not overwritten without confirmation. */
export function GroupForm({ group, onUpdate, onDraft }: GroupFormProps) {
  const { client } = useSession();
  const [base, setBase] = useState(group);
  const [draft, setDraft] = useState(() => draftOf(group));
  const [latest, setLatest] = useState<GroupPartsFragment | null>(null);
  const update = useMutation(UpdateGroupDocument);
  const { errors, setErrors } = update;
  const canWrite = useScope("WRITE");
  const notify = useNotice();
  const changes = changesBetween(draftOf(base), draft);
  const isDirty = Object.keys(changes).length > 0 || draft.newProperty !== "";
  const { parseError } = parseProperties(draft.properties);
  useUnsaved(isDirty);
  useEffect(() => {
    if (parseError === undefined) onDraft(draft);
  }, [parseError, draft, onDraft]);

  // A newer version with equal contents, for example after a rotation, is no conflict.
  if (group !== base && (!isDirty || isUnchanged(base, group))) startFrom(group, !isDirty);

  function startFrom(next: GroupPartsFragment, shouldResetDraft: boolean) {
    setBase(next);
    if (shouldResetDraft) setDraft(draftOf(next));
    setErrors([]);
    setLatest(null);
  }

  async function save() {
    if (parseError !== undefined || !isDirty) return;
    const unadded = unaddedProperty(draft);
    if (unadded.length > 0) return setErrors(unadded);
    await send(base, draft);
  }

  function accept(next: GroupPartsFragment) {
    startFrom(next, true);
    onUpdate(next);
  }

  async function send(before: GroupPartsFragment, after: GroupDraft) {
    const changed = changesBetween(draftOf(before), after);
    if (Object.keys(changed).length === 0) return accept(before);
    const payload = await update.run({
      input: { by: { id: group.id }, expectedVersion: before.version, ...changed },
    });
    if (!payload) return;
    const { userGroup, userErrors } = payload;
    if (isConflict(userErrors)) await loadLatest();
    if (!userGroup) return;
    accept(userGroup);
    notify("The group was saved.");
  }

  async function loadLatest() {
    try {
      const { userGroup } = await client.call(GroupDocument, { providedId: group.providedId });
      setLatest(userGroup);
    } catch (error) {
      setErrors([{ code: "UNAVAILABLE", message: toFailure(error).message, field: null }]);
    }
  }
  const conflict = isConflict(errors) ? latest : null;
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
          onDiscard={() => accept(conflict)}
        />
      )}
      {canWrite && !conflict && (
        <div className="actions">
          <button type="submit" className="primary" aria-disabled={!isDirty || update.isBusy}>
            Save
          </button>
          {isDirty && (
            <button type="button" onClick={() => startFrom(group, true)}>
              Discard changes
            </button>
          )}
        </div>
      )}
    </Form>
  );
}
