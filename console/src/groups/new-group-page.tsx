import { useState } from "react";
import { CreateGroupDocument } from "../api/generated/operations.js";
import { errorAt, otherErrors } from "../api/user-errors.js";
import { TextField } from "../parts/field.js";
import { Form } from "../parts/form.js";
import { useNotice } from "../parts/notices.js";
import { Page } from "../parts/page.js";
import { Problem } from "../parts/problem.js";
import { useGoTo, useUnsaved } from "../routing/navigation.js";
import { hashOf } from "../routing/route.js";
import { useMutation } from "../session/use-mutation.js";
import { EMPTY_DRAFT, mappingOf, unfinishedProperty } from "./group-draft.js";
import { GROUP_FIELDS, GroupFields } from "./group-fields.js";

export function NewGroupPage() {
  const [providedId, setProvidedId] = useState("");
  const [draft, setDraft] = useState(EMPTY_DRAFT);
  const create = useMutation(CreateGroupDocument);
  const { errors } = create;
  const notify = useNotice();
  const goTo = useGoTo();
  useUnsaved(providedId !== "" || draft !== EMPTY_DRAFT);

  async function save() {
    const unfinished = unfinishedProperty(draft);
    if (unfinished.length > 0) return create.setErrors(unfinished);
    const { name, properties } = draft;
    const input = { providedId, name, properties: properties.value, mapping: mappingOf(draft) };
    const payload = await create.run({ input });
    if (!payload?.userGroup) return;
    notify(`${name} was created.`);
    goTo(hashOf(["groups", payload.userGroup.providedId]), true);
  }
  return (
    <Page title="New group" back={{ href: hashOf(["groups"]), label: "Groups" }}>
      <Form
        className="card"
        errors={errors}
        isInvalid={draft.properties.parseError !== undefined}
        onSubmit={() => void save()}
      >
        <TextField
          label="External ID"
          hint="The ID of this customer in your system."
          error={errorAt(errors, "providedId")}
          spellCheck={false}
          value={providedId}
          onChange={setProvidedId}
        />
        <GroupFields draft={draft} errors={errors} isReadOnly={false} onEdit={setDraft} />
        <Problem failure={create.failure} errors={otherErrors(errors, ["providedId", ...GROUP_FIELDS])} />
        <div className="actions save-bar">
          <button type="submit" className="primary" aria-disabled={create.isBusy}>
            Create group
          </button>
          <a className="button" href={hashOf(["groups"])}>
            Cancel
          </a>
        </div>
      </Form>
    </Page>
  );
}
