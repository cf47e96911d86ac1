import { memo, useCallback } from "react";
import { errorAt, type UserErrors } from "../api/user-errors.js";
import { CodeEditor } from "../parts/code-editor/code-editor.js";
import { Tabs } from "../parts/tabs.js";
import { type GroupDraft, type PropertiesDraft, parseProperties, propertiesOf } from "./group-draft.js";
import { PropertiesForm } from "./properties-form.js";
import { usePropertyTypes } from "./use-property-types.js";

interface PropertiesEditorProps {
  readonly properties: PropertiesDraft;
  /** Of the service. */
  readonly errors: UserErrors;
  readonly newProperty: string;
  readonly newPropertyError: string | undefined;
  readonly isReadOnly: boolean;
  readonly onEdit: (edit: (draft: GroupDraft) => GroupDraft) => void;
}

export const PropertiesEditor = memo(function PropertiesEditor(props: PropertiesEditorProps) {
  const { properties, errors, newProperty, newPropertyError, isReadOnly, onEdit } = props;
  const { text, parseError, value } = properties;
  const types = usePropertyTypes();
  const error = errorAt(errors, "properties");
  /** Not beside a property. */
  const otherError = errorAt(
    errors.filter(({ field }) => !Object.hasOwn(value ?? {}, field?.[1] ?? "")),
    "properties",
  );
  const change = useCallback(
    (name: string, next: unknown) => onEdit((draft) => withProperty(draft, name, next)),
    [onEdit],
  );
  const message = parseError ?? error ?? newPropertyError;
  return (
    <fieldset>
      <legend>Properties</legend>
      <p className="fine">Dashboards use these values as variables.</p>
      <Tabs
        label="Edit properties as"
        tabs={[
          {
            name: "Form",
            content: (select) =>
              parseError === undefined ? (
                <>
                  <PropertiesForm
                    properties={value}
                    types={types}
                    errors={errors}
                    onChange={change}
                    onAdd={(name, next) =>
                      onEdit((draft) => ({ ...withProperty(draft, name, next), newProperty: "" }))
                    }
                    isReadOnly={isReadOnly}
                    newProperty={newProperty}
                    newPropertyError={newPropertyError}
                    onNewProperty={(name) => onEdit((draft) => ({ ...draft, newProperty: name }))}
                    onEditJson={() => select(1)}
                  />
                  {otherError && (
                    <p className="error" tabIndex={-1} data-invalid>
                      {otherError}
                    </p>
                  )}
                </>
              ) : (
                <p className="error" tabIndex={-1} data-invalid>
                  {parseError} Correct it as JSON first.
                </p>
              ),
          },
          {
            name: "JSON",
            content: () => (
              <div className="field">
                <CodeEditor
                  label="Properties as JSON"
                  text={text}
                  isReadOnly={isReadOnly}
                  isInvalid={message !== undefined}
                  onChange={(typed) => onEdit((draft) => ({ ...draft, properties: parseProperties(typed) }))}
                />
                <p className="fine">A JSON object. Leave empty for none.</p>
                {message && (
                  <p className="error" role="alert">
                    {message}
                  </p>
                )}
              </div>
            ),
          },
        ]}
      />
    </fieldset>
  );
});

/** @param value undefined removes the property */
function withProperty(draft: GroupDraft, name: string, value: unknown): GroupDraft {
  const entries = Object.entries({ ...draft.properties.value, [name]: value }).filter(
    ([, each]) => each !== undefined,
  );
  return {
    ...draft,
    properties: propertiesOf(entries.length === 0 ? null : Object.fromEntries(entries)),
  };
}
