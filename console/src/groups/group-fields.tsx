import { errorAt, type UserErrors } from "../api/user-errors.js";
import { Field } from "../parts/field.js";
import { type GroupDraft, parseProperties } from "./group-draft.js";
import { MappingEditor } from "./mapping-editor.js";

interface GroupFieldsProps {
  readonly draft: GroupDraft;
  readonly errors: UserErrors;
  readonly isReadOnly: boolean;
  readonly onChange: (draft: GroupDraft) => void;
}

/** Fields with inline errors. */
export const GROUP_FIELDS = ["name", "properties", "mapping"] as const;

/** The editable fields of a group. */
export function GroupFields({ draft, errors, isReadOnly, onChange }: GroupFieldsProps) {
  const { parseError } = parseProperties(draft.properties);
  return (
    <>
      <Field label="Name" error={errorAt(errors, "name")}>
        {(control) => (
          <input
            {...control}
            value={draft.name}
            required
            readOnly={isReadOnly}
            autoComplete="off"
            onChange={(event) => onChange({ ...draft, name: event.target.value })}
          />
        )}
      </Field>
      <Field
        label="Properties"
        hint="A JSON object whose values dashboards use as variables. Leave empty for none."
        error={parseError ?? errorAt(errors, "properties")}
      >
        {(control) => (
          <textarea
            {...control}
            className="code"
            rows={Math.min(20, Math.max(4, draft.properties.split("\n").length + 1))}
            value={draft.properties}
            readOnly={isReadOnly}
            spellCheck={false}
            onChange={(event) => onChange({ ...draft, properties: event.target.value })}
          />
        )}
      </Field>
      <MappingEditor
        rows={draft.mapping}
        errors={errors}
        isReadOnly={isReadOnly}
        onChange={(mapping) => onChange({ ...draft, mapping })}
      />
    </>
  );
}
