import type { ReactNode } from "react";
import { isConflict, otherErrors } from "../api/user-errors.js";
import type { Mutation } from "../session/use-mutation.js";
import { Dialog } from "./dialog.js";
import { Form } from "./form.js";
import { Problem } from "./problem.js";

interface FormDialogProps {
  readonly title: string;
  readonly action: string;
  readonly mutation: Pick<Mutation<unknown, never>, "isBusy" | "failure" | "errors">;
  /** The fields that show their errors themselves. */
  readonly fields: readonly string[];
  readonly isInvalid?: boolean;
  readonly onSubmit: (fields: FormData) => void;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

export function FormDialog(props: FormDialogProps) {
  const { title, action, mutation, fields, isInvalid = false, onSubmit, onClose, children } = props;
  const { isBusy, failure, errors } = mutation;
  return (
    <Dialog title={title} onClose={onClose}>
      <Form errors={errors} isInvalid={isInvalid} onSubmit={onSubmit}>
        {children}
        <Problem failure={failure} errors={otherErrors(errors, fields)}>
          {isConflict(errors) && (
            <p>
              Someone else saved it while you were editing. Close this, and open it again with their values.
            </p>
          )}
        </Problem>
        <div className="actions end">
          <button type="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" className="primary" aria-disabled={isBusy}>
            {action}
          </button>
        </div>
      </Form>
    </Dialog>
  );
}
