import { CodeEditor } from "../parts/code-editor/code-editor.js";
import { Tabs } from "../parts/tabs.js";
import { type GroupDraft, parseProperties } from "./group-draft.js";
import { PropertiesForm } from "./properties-form.js";

interface PropertiesEditorProps {
  /** JSON, or empty for none. */
  readonly text: string;
  /** Error of the service. */
  readonly error: string | undefined;
  readonly newProperty: string;
  readonly newPropertyError: string | undefined;
  readonly isReadOnly: boolean;
  readonly onChange: (changed: Partial<Pick<GroupDraft, "properties" | "newProperty">>) => void;
}

export function PropertiesEditor(props: PropertiesEditorProps) {
  const { text, error, newProperty, newPropertyError, isReadOnly, onChange } = props;
  const { parseError, value } = parseProperties(text);
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
                    isReadOnly={isReadOnly}
                    newProperty={newProperty}
                    newPropertyError={newPropertyError}
                    onNewProperty={(name) => onChange({ newProperty: name })}
                    onEditJson={() => select(1)}
                    onChange={(next, isAdded) =>
                      onChange({
                        properties: next === null ? "" : JSON.stringify(next, null, 2),
                        ...(isAdded ? { newProperty: "" } : {}),
                      })
                    }
                  />
                  {error && (
                    <p className="error" tabIndex={-1} data-invalid>
                      {error}
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
                  onChange={(properties) => onChange({ properties })}
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
}
