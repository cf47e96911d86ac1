import { useMemo, useRef, useState } from "react";
import {
  type PropertyReportPartsFragment,
  type PropertySchemaMode,
  type PropertySchemaPartsFragment,
  SetPropertySchemaDocument,
} from "../api/generated/operations.js";
import { isConflict, otherErrors } from "../api/user-errors.js";
import { Choice } from "../parts/choice.js";
import { CodeEditor } from "../parts/code-editor/code-editor.js";
import { jsonMarks } from "../parts/code-editor/json-marks.js";
import type { EditorHandle } from "../parts/code-editor/props.js";
import { ConfirmDialog } from "../parts/confirm-dialog.js";
import { Field } from "../parts/field.js";
import { Form } from "../parts/form.js";
import { useNotice } from "../parts/notices.js";
import { parseObject } from "../parts/parse-object.js";
import { Problem } from "../parts/problem.js";
import { useUnsaved } from "../routing/navigation.js";
import { useScope } from "../session/session.js";
import { useMutation } from "../session/use-mutation.js";
import { invalidText, ReportList } from "./property-report.js";
import { schemaOfSample } from "./schema-of-sample.js";
import { usePropertySample } from "./typed-value.js";

interface SchemaFormProps {
  readonly stored: PropertySchemaPartsFragment;
  /** Of the stored schema. */
  readonly report: PropertyReportPartsFragment;
  /** Called with the cursor after which to search further groups. */
  readonly onContinue: (cursor: string | null) => void;
  /** Called when the stored schema is another one. */
  readonly onChange: () => void;
}

const MODES: Readonly<Record<PropertySchemaMode, string>> = {
  OFF: "Off: check nothing",
  WARN: "Warn: write and count invalid properties",
  ENFORCE: "Enforce: refuse invalid properties",
};

/** Edits the schema. Before properties are refused, it shows how many groups violate it. */
export function SchemaForm({ stored, report, onContinue, onChange }: SchemaFormProps) {
  const [base, setBase] = useState(stored);
  const [text, setText] = useState(() => textOf(stored));
  const [mode, setMode] = useState(stored.mode);
  /** What was checked or refused last. */
  const [reviewed, setReviewed] = useState(text);
  const [checked, setChecked] = useState<PropertyReportPartsFragment | null>(null);
  const [asked, setAsked] = useState<PropertyReportPartsFragment | null>(null);
  const { run, errors, setErrors, failure, isBusy } = useMutation(SetPropertySchemaDocument);
  const editor = useRef<EditorHandle>(null);
  const sample = usePropertySample();
  const notify = useNotice();
  const isAdmin = useScope("ADMIN");
  const marks = useMemo(() => jsonMarks(reviewed, errors, "schema"), [reviewed, errors]);
  const parsed = text.trim() === "" ? { value: null } : parseObject(text);
  const isDirty = text !== textOf(base) || mode !== base.mode;
  useUnsaved(isDirty);
  if (stored.version !== base.version && !isDirty) startFrom(stored);

  function startFrom(next: PropertySchemaPartsFragment) {
    setBase(next);
    setText(textOf(next));
    setMode(next.mode);
    setChecked(null);
    setErrors([]);
  }

  async function send(dryRun: boolean, expectedVersion = base.version) {
    if (parsed.value === undefined) return null;
    setReviewed(text);
    const payload = await run({ input: { schema: parsed.value, mode, expectedVersion, dryRun } });
    if (payload && isConflict(payload.userErrors)) onChange();
    if (!payload?.propertySchema) return null;
    setChecked(payload.report);
    return payload;
  }

  async function submit() {
    if (!isDirty || isBusy) return;
    if (mode !== "ENFORCE") return save();
    const payload = await send(true);
    if (payload?.report) setAsked(payload.report);
  }

  async function save() {
    setAsked(null);
    const payload = await send(false);
    if (!payload?.propertySchema) return;
    startFrom(payload.propertySchema);
    onContinue(null);
    onChange();
    notify("The property schema was saved.");
  }
  const error = "error" in parsed ? parsed.error : undefined;
  return (
    <>
      <Form
        aria-label="Property schema"
        errors={errors}
        isInvalid={error !== undefined}
        onSubmit={() => void submit()}
      >
        <Field label="Mode">
          {(control) => (
            <Choice {...control} choices={MODES} value={mode} disabled={!isAdmin} onChange={setMode} />
          )}
        </Field>
        <div className="site-editor">
          <div>
            <CodeEditor
              label="JSON Schema"
              text={text}
              isReadOnly={!isAdmin}
              isInvalid={error !== undefined || marks.length > 0}
              onChange={setText}
              marks={marks}
              handle={editor}
            />
            {error !== undefined && (
              <p className="error" role="alert">
                {error}
              </p>
            )}
            {marks.map(({ line, column, message }) => (
              <p key={`${line} ${column} ${message}`} className="error">
                {message}{" "}
                <button type="button" className="link" onClick={() => editor.current?.goTo(line, column)}>
                  Line {line}
                </button>
              </p>
            ))}
            {isAdmin && text === "" && sample.size > 0 && (
              <p>
                <button type="button" onClick={() => setText(schemaOfSample(sample))}>
                  Start from the properties in use
                </button>
              </p>
            )}
          </div>
          <ReportList
            report={checked ?? report}
            isOfDraft={checked !== null}
            onContinue={checked ? undefined : onContinue}
          />
        </div>
        <Problem failure={failure} errors={otherErrors(errors, marks.length > 0 ? ["schema"] : [])}>
          {isConflict(errors) && stored.version !== base.version && (
            <>
              <p>Someone else saved the schema while you were editing.</p>
              <button type="button" onClick={() => startFrom(stored)}>
                Discard my changes and load version {stored.version}
              </button>
            </>
          )}
        </Problem>
        {isAdmin && (
          <div className="actions">
            <button
              type="submit"
              className="primary"
              aria-keyshortcuts="Control+S"
              aria-disabled={!isDirty || isBusy}
            >
              {mode === "ENFORCE" ? "Save…" : "Save"}
            </button>
            <button type="button" aria-disabled={isBusy} onClick={() => void (isBusy || send(true))}>
              Check groups
            </button>
            {isDirty && (
              <button type="button" onClick={() => startFrom(stored)}>
                Discard changes
              </button>
            )}
          </div>
        )}
      </Form>
      {/* Not inside the form, which would be submitted again. */}
      {asked && (
        <ConfirmDialog
          title="Refuse invalid properties?"
          action="Enforce the schema"
          isHarmless
          onConfirm={() => void save()}
          onClose={() => setAsked(null)}
        >
          <p>{invalidText(asked)}</p>
          <p>They stay as they are; changes of their invalid properties are refused until they are valid.</p>
        </ConfirmDialog>
      )}
    </>
  );
}

function textOf({ schema }: PropertySchemaPartsFragment): string {
  return schema === null ? "" : JSON.stringify(schema, null, 2);
}
