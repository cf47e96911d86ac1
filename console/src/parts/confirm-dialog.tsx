import { type ReactNode, useState } from "react";
import type { Failure } from "../api/failure.js";
import type { UserErrors } from "../api/user-errors.js";
import { Dialog } from "./dialog.js";
import { Field } from "./field.js";
import { Problem } from "./problem.js";

interface ConfirmDialogProps {
  readonly title: string;
  /** What follows from it. */
  readonly children: ReactNode;
  readonly action: string;
  /** What has to be typed before the action can be chosen. */
  readonly typed?: string;
  readonly isBusy: boolean;
  readonly failure: Failure | null;
  readonly errors: UserErrors;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
}

/** Asks before something that cannot be undone. */
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
