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

  async function save(expectedVersion: number) {
    if (parseError !== undefined || !isDirty) return;
    const unadded = unaddedProperty(draft);
    if (unadded.length > 0) return setErrors(unadded);
    const payload = await update.run({ input: { by: { id: group.id }, expectedVersion, ...changes } });
    if (!payload) return;
    const { userGroup, userErrors } = payload;
    if (isConflict(userErrors)) await loadLatest();
    if (!userGroup) return;
    startFrom(userGroup, true);
    onUpdate(userGroup);
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
  return (
    <Form
      className="card"
      aria-label="Group"
      errors={errors}
      isInvalid={parseError !== undefined}
      onSubmit={() => void save(base.version)}
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
      <Problem failure={update.failure} errors={otherErrors(errors, GROUP_FIELDS)}>
        {latest && (
          <>
            <p>
              Version {latest.version} was saved while you were editing. Changed: {differences(base, latest)}.
            </p>
            <button
              type="button"
              onClick={() => {
                startFrom(latest, true);
                onUpdate(latest);
              }}
            >
              Discard my changes
            </button>
            <button type="button" onClick={() => void save(latest.version)}>
              Overwrite with my changes
            </button>
          </>
        )}
      </Problem>
      {canWrite && (
        <div className="actions">
          <button type="submit" className="primary" disabled={!isDirty || update.isBusy}>
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

function differences(before: GroupPartsFragment, after: GroupPartsFragment): string {
  const fields = Object.keys(changesBetween(draftOf(before), draftOf(after)));
  return fields.join(", ") || "no fields on this page";
}
