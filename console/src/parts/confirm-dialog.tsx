import { type ReactNode, useState } from "react";
import type { Failure } from "../api/failure.js";
import type { UserErrors } from "../api/user-errors.js";
import { Dialog } from "./dialog.js";
import { Field } from "./field.js";
import { Problem } from "./problem.js";

interface ConfirmDialogProps {
  readonly title: string;
  /** Description of the consequences. */
  readonly children: ReactNode;
  readonly action: string;
  /** Text that must be typed to enable the action. */
  readonly typed?: string;
  readonly isBusy: boolean;
  readonly failure: Failure | null;
  readonly errors: UserErrors;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
}

/** A confirmation dialog for irreversible actions. */
export function ConfirmDialog(props: ConfirmDialogProps) {
  const { title, children, action, typed, isBusy, failure, errors, onConfirm, onClose } = props;
  const [text, setText] = useState("");
  const isAllowed = typed === undefined || text === typed;
  return (
    <Dialog title={title} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (isAllowed && !isBusy) onConfirm();
        }}
      >
        {children}
        {typed !== undefined && (
          <Field label={`Type ${typed} to confirm`}>
            {(control) => (
              <input
                {...control}
                value={text}
                onChange={(event) => setText(event.target.value)}
                autoComplete="off"
                spellCheck={false}
              />
            )}
          </Field>
        )}
        <Problem failure={failure} errors={errors} />
        <div className="actions end">
          <button type="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" className="danger" disabled={!isAllowed || isBusy}>
            {action}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
