import { useMemo, useRef, useState } from "react";
import {
  CreateTemplateDocument,
  type TemplatePartsFragment,
  UpdateTemplateDocument,
} from "../api/generated/operations.js";
import { isConflict, otherErrors } from "../api/user-errors.js";
import { CodeEditor } from "../parts/code-editor/code-editor.js";
import { jsonMarks } from "../parts/code-editor/json-marks.js";
import type { EditorHandle } from "../parts/code-editor/props.js";
import { ConfirmDialog } from "../parts/confirm-dialog.js";
import { Form } from "../parts/form.js";
import { parseObject } from "../parts/parse-object.js";
import { Problem } from "../parts/problem.js";
import { useUnsaved } from "../routing/navigation.js";
import { hashOf } from "../routing/route.js";
import { useMutation } from "../session/use-mutation.js";
import { type CheckTarget, ClaimsCheck } from "./claims-check.js";
import { ReferenceList, referencesOf, referencesSchema, type SampleGroups } from "./references.js";
import { draftOf, type TemplateDraft, toInput } from "./template-draft.js";
import { TemplateFields } from "./template-fields.js";
import { refusalText, type TemplateCheck, useTemplateCheck } from "./use-template-check.js";

export interface TemplateFormProps {
  /** What the fields have first. */
  readonly start: TemplateDraft;
  /** The template to edit; without it, one is created. */
  readonly template?: TemplatePartsFragment;
  readonly groups: SampleGroups;
  readonly onSaved: (template: TemplatePartsFragment, warnings: readonly string[]) => void;
  /** Called when someone else has changed the template: it must be loaded again. */
  readonly onConflict: () => void;
}

const FIELDS = ["name", "description", "algorithm", "secret", "header", "claims", "lifetimeSeconds", "url"];

/** Creates or edits a session template. Before it is saved, it shows how many groups the claims would refuse. */
export function TemplateForm({ start, template, groups, onSaved, onConflict }: TemplateFormProps) {
  const [base, setBase] = useState(template);
  const [draft, setDraft] = useState(start);
  const [target, setTarget] = useState<CheckTarget>({ providedId: "", variables: "" });
  const [asked, setAsked] = useState<{ readonly check: TemplateCheck; readonly version?: number } | null>(
    null,
  );
  const editor = useRef<EditorHandle>(null);
  const state = useTemplateCheck();
  const create = useMutation(CreateTemplateDocument);
  const update = useMutation(UpdateTemplateDocument);
  const { errors, failure, isBusy, setErrors } = template ? update : create;
  const references = useMemo(() => referencesOf(groups), [groups]);
  const claims = parseObject(draft.claims);
  const variables = target.variables.trim() === "" ? { value: {} } : parseObject(target.variables);
  const isDirty = JSON.stringify(draft) !== JSON.stringify(base ? draftOf(base) : start);
  useUnsaved(isDirty);

  const { check } = state;
  /** Those of the text that was checked or refused last; the editor moves their marks with the text. */
  const [reviewed, setReviewed] = useState(draft.claims);
  const claimErrors = useMemo(
    () => [
      ...errors.filter(({ field }) => field?.[0] === "claims"),
      ...(check?.errors ?? []),
      ...(check?.sessionClaims?.errors ?? []),
    ],
    [errors, check],
  );
  const marks = useMemo(() => jsonMarks(reviewed, claimErrors, "claims"), [reviewed, claimErrors]);

  if (template && template !== base && !isDirty) startFrom(template);

  function startFrom(next: TemplatePartsFragment) {
    setBase(next);
    setDraft(draftOf(next));
    setErrors([]);
  }

  async function runCheck() {
    if (!claims.value || !variables.value) return null;
    setErrors([]);
    setReviewed(draft.claims);
    const { algorithm } = draft;
    const { providedId } = target;
    return state.run({ algorithm, claims: claims.value, variables: variables.value, providedId });
  }

  /** @param version that the edited template must have */
  async function ask(version: number | undefined) {
    const found = await runCheck();
    if (found?.errors.length === 0) setAsked({ check: found, ...(version !== undefined && { version }) });
  }

  async function save(version: number | undefined) {
    setAsked(null);
    if (!claims.value) return;
    const input = toInput(draft, claims.value);
    const { url } = draft;
    const payload =
      template && version !== undefined
        ? await update.run({
            input: { ...input, url: url || null, by: { id: template.id }, expectedVersion: version },
          })
        : await create.run({ input: { ...input, ...(url && { url }) } });
    if (!payload) return;
    if (isConflict(payload.userErrors)) onConflict();
    if (!payload.sessionTemplate) return;
    if (template) startFrom(payload.sessionTemplate);
    onSaved(payload.sessionTemplate, payload.warnings);
  }
  return (
    <>
      <Form
        aria-label="Session template"
        errors={errors}
        isInvalid={claims.error !== undefined || variables.error !== undefined}
        onSubmit={() => void ask(base?.version)}
      >
        <div className="card template-fields">
          <TemplateFields draft={draft} saved={base} errors={errors} onChange={setDraft} />
        </div>
        <div className="site-editor claims-editor">
          <div>
            <h2>Claims</h2>
            <CodeEditor
              label="Claims"
              text={draft.claims}
              isInvalid={claims.error !== undefined || claimErrors.length > 0}
              onChange={(text) => setDraft((before) => ({ ...before, claims: text }))}
              marks={marks}
              schema={() => referencesSchema(references)}
              handle={editor}
            />
            {claims.error && (
              <p className="error" role="alert">
                {claims.error}
              </p>
            )}
            <p className="fine keys">
              <kbd>Ctrl</kbd> <kbd>Space</kbd> completes references, <kbd>F8</kbd> goes to the next error.
            </p>
            <ReferenceList references={references} onInsert={(text) => editor.current?.insert(text)} />
          </div>
          <div className="beside">
            <ClaimsCheck
              target={target}
              variablesError={variables.error}
              groups={groups}
              state={state}
              errors={claimErrors}
              marks={marks}
              onTarget={setTarget}
              onCheck={() => void runCheck()}
              onGoTo={(line, column) => editor.current?.goTo(line, column)}
            />
          </div>
        </div>
        <Problem failure={failure} errors={otherErrors(errors, FIELDS)}>
          {template && base && isConflict(errors) && template.version !== base.version && (
            <>
              <p>Someone else saved this template while you were editing.</p>
              <button type="button" onClick={() => startFrom(template)}>
                Discard my changes and load version {template.version}
              </button>
              <button type="button" onClick={() => void ask(template.version)}>
                Overwrite with my changes
              </button>
            </>
          )}
        </Problem>
        <div className="actions">
          <button
            type="submit"
            className="primary"
            aria-keyshortcuts="Control+S"
            aria-disabled={(template && !isDirty) || isBusy || state.isBusy}
          >
            {template ? "Save…" : "Create template…"}
          </button>
          {template ? (
            isDirty && (
              <button type="button" onClick={() => startFrom(template)}>
                Discard changes
              </button>
            )
          ) : (
            <a className="button" href={hashOf(["dashboard-tools"])}>
              Cancel
            </a>
          )}
        </div>
      </Form>
      {/* Not inside the form, which would be submitted again. */}
      {asked && (
        <ConfirmDialog
          title={template ? `Save ${draft.name}?` : `Create ${draft.name}?`}
          action={template ? "Save template" : "Create template"}
          isHarmless
          onConfirm={() => void save(asked.version)}
          onClose={() => setAsked(null)}
        >
          <p>{refusalText(asked.check)}</p>
        </ConfirmDialog>
      )}
    </>
  );
}
