import { useId } from "react";
import type { UserErrors } from "../api/user-errors.js";
import { CodeBlock } from "../parts/code-block.js";
import type { Mark } from "../parts/code-editor/props.js";
import { Field, TextField } from "../parts/field.js";
import { Problem } from "../parts/problem.js";
import type { SampleGroups } from "./references.js";
import { refusalText, type useTemplateCheck } from "./use-template-check.js";

/** What the claims are checked for. */
export interface CheckTarget {
  /** The external ID of a group; empty for none. */
  readonly providedId: string;
  /** A JSON object, or empty. */
  readonly variables: string;
}

interface ClaimsCheckProps {
  readonly target: CheckTarget;
  readonly variablesError: string | undefined;
  readonly groups: SampleGroups;
  readonly state: Omit<ReturnType<typeof useTemplateCheck>, "run">;
  /** The errors of the last check and of the last attempt to save. */
  readonly errors: UserErrors;
  readonly marks: readonly Mark[];
  readonly onTarget: (target: CheckTarget) => void;
  readonly onCheck: () => void;
  readonly onGoTo: (line: number, column: number) => void;
}

/** The claims for one group before they are saved, why they are refused, and how many groups are. */
export function ClaimsCheck(props: ClaimsCheckProps) {
  const { target, variablesError, groups, state, marks, errors, onTarget, onCheck, onGoTo } = props;
  const { check, failure, isBusy } = state;
  const id = useId();
  return (
    <section className="card" aria-labelledby={`${id}-title`} aria-busy={isBusy}>
      <h2 id={`${id}-title`}>Check</h2>
      <TextField
        label="Group"
        hint="The external ID of a group whose claims to show."
        required={false}
        spellCheck={false}
        list={`${id}-groups`}
        value={target.providedId}
        onChange={(providedId) => onTarget({ ...target, providedId })}
      />
      <datalist id={`${id}-groups`}>
        {groups.map(({ providedId }) => (
          <option key={providedId} value={providedId} />
        ))}
      </datalist>
      <Field
        label="Variables"
        hint="A JSON object, as your server would send it. Optional."
        error={variablesError}
      >
        {(control) => (
          <textarea
            {...control}
            className="code"
            rows={2}
            spellCheck={false}
            value={target.variables}
            onChange={(event) => onTarget({ ...target, variables: event.target.value })}
          />
        )}
      </Field>
      <div className="actions">
        <button type="button" aria-disabled={isBusy} onClick={onCheck}>
          Check claims
        </button>
      </div>
      <Problem failure={failure} />
      <div role="status">
        {check && check.errors.length === 0 && <p>{refusalText(check)}</p>}
        {check?.errors.length === 0 && target.providedId !== "" && !check.sessionClaims && (
          <p className="fine">The check has shown no group: there was none with this external ID.</p>
        )}
        {errors.map(({ message, field }) => {
          const mark = marks.find((each) => each.message === message);
          return (
            <p key={`${field?.join(".")} ${message}`} className="error">
              {message}{" "}
              {mark && (
                <button type="button" className="link" onClick={() => onGoTo(mark.line, mark.column)}>
                  Line {mark.line}
                </button>
              )}
            </p>
          );
        })}
      </div>
      {check?.sessionClaims?.claims != null && (
        <CodeBlock label="Rendered claims" code={JSON.stringify(check.sessionClaims.claims, null, 2)} />
      )}
    </section>
  );
}
