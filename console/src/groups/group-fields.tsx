import { errorAt, type UserErrors } from "../api/user-errors.js";
import { TextField } from "../parts/field.js";
import type { GroupDraft } from "./group-draft.js";
import { MappingEditor } from "./mapping-editor.js";
import { PropertiesEditor } from "./properties-editor.js";

interface GroupFieldsProps {
  readonly draft: GroupDraft;
  readonly errors: UserErrors;
  readonly isReadOnly: boolean;
  readonly onChange: (draft: GroupDraft) => void;
}

export const GROUP_FIELDS = ["name", "properties", "newProperty", "mapping"] as const;

export function GroupFields({ draft, errors, isReadOnly, onChange }: GroupFieldsProps) {
  return (
    <>
      <TextField
        label="Name"
        error={errorAt(errors, "name")}
        value={draft.name}
        readOnly={isReadOnly}
        onChange={(name) => onChange({ ...draft, name })}
      />
      <PropertiesEditor
        text={draft.properties}
        error={errorAt(errors, "properties")}
        newProperty={draft.newProperty}
        newPropertyError={draft.newProperty === "" ? undefined : errorAt(errors, "newProperty")}
        isReadOnly={isReadOnly}
        onChange={(changed) => onChange({ ...draft, ...changed })}
      />
      <MappingEditor
        rows={draft.mapping}
        errors={errors}
        isReadOnly={isReadOnly}
        onChange={(mapping) => onChange({ ...draft, mapping })}
      />
    </>
  );
}
