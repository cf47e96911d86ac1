import { useCallback } from "react";
import { errorAt, type UserErrors } from "../api/user-errors.js";
import { TextField } from "../parts/field.js";
import type { GroupDraft, MappingRow } from "./group-draft.js";
import { MappingEditor } from "./mapping-editor.js";
import { PropertiesEditor } from "./properties-editor.js";

interface GroupFieldsProps {
  readonly draft: GroupDraft;
  readonly errors: UserErrors;
  readonly isReadOnly: boolean;
  /** Keeps its identity, so that only what is edited is rendered again. */
  readonly onEdit: (edit: (draft: GroupDraft) => GroupDraft) => void;
}

export const GROUP_FIELDS = ["name", "properties", "newProperty", "mapping"] as const;

export function GroupFields({ draft, errors, isReadOnly, onEdit }: GroupFieldsProps) {
  const editMapping = useCallback(
    (edit: (rows: readonly MappingRow[]) => readonly MappingRow[]) =>
      onEdit((before) => ({ ...before, mapping: edit(before.mapping) })),
    [onEdit],
  );
  return (
    <>
      <TextField
        label="Name"
        error={errorAt(errors, "name")}
        value={draft.name}
        readOnly={isReadOnly}
        onChange={(name) => onEdit((before) => ({ ...before, name }))}
      />
      <PropertiesEditor
        properties={draft.properties}
        errors={errors}
        newProperty={draft.newProperty}
        newPropertyError={draft.newProperty === "" ? undefined : errorAt(errors, "newProperty")}
        isReadOnly={isReadOnly}
        onEdit={onEdit}
      />
      <MappingEditor rows={draft.mapping} errors={errors} isReadOnly={isReadOnly} onEdit={editMapping} />
    </>
  );
}
