import { type ReactNode, useState } from "react";
import type { TypedDocumentString } from "../api/generated/operations.js";
import { type Mutation, type Payload, type Result, useMutation } from "../session/use-mutation.js";
import { Dialog } from "./dialog.js";
import { TextField } from "./field.js";
import { useNotice } from "./notices.js";
import { Problem } from "./problem.js";

interface ConfirmDialogProps {
  readonly title: string;
  /** Description of the consequences. */
  readonly children: ReactNode;
  readonly action: string;
  /** Whether the action loses or reveals nothing. */
  readonly isHarmless?: boolean;
  /** Text that must be typed to enable the action. */
  readonly typed?: string;
  /** The state of the mutation that the action runs, if any. */
  readonly mutation?: Pick<Mutation<unknown, unknown>, "isBusy" | "failure" | "errors">;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
}

export function ConfirmDialog(props: ConfirmDialogProps) {
  const { title, children, action, isHarmless = false, typed, mutation, onConfirm, onClose } = props;
  const [text, setText] = useState("");
  // The mutation keeps the errors of attempts in a dialog that has been closed since.
  const [isTried, setTried] = useState(false);
  const isAllowed = (typed === undefined || text === typed) && mutation?.isBusy !== true;
  return (
    <Dialog title={title} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (!isAllowed) return;
          setTried(true);
          onConfirm();
        }}
      >
        {children}
        {typed !== undefined && (
          <TextField
            label={
              <>
                Type <code>{typed}</code> to confirm
              </>
            }
            required={false}
            spellCheck={false}
            value={text}
            onChange={setText}
          />
        )}
        {isTried && mutation && <Problem failure={mutation.failure} errors={mutation.errors} />}
        <div className="actions end">
          <button type="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" className={isHarmless ? "primary" : "danger"} aria-disabled={!isAllowed}>
            {action}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

interface MutationDialogProps<P, V> extends Omit<ConfirmDialogProps, "mutation" | "onConfirm"> {
  readonly document: TypedDocumentString<Result<P>, V>;
  readonly variables: NoInfer<V>;
  /** Shown once the mutation has succeeded. */
  readonly notice?: string;
  /** Called with the payload of a mutation that has succeeded, before the notice is shown. */
  readonly onDone: (payload: P) => void;
}

/** A confirmation dialog that runs a mutation, and shows its errors. `onDone` closes it. */
export function MutationDialog<P extends Payload, V>(props: MutationDialogProps<P, V>) {
  const { document, variables, notice, onDone, ...dialog } = props;
  const mutation = useMutation(document);
  const notify = useNotice();

  async function run() {
    const payload = await mutation.run(variables);
    if (payload?.userErrors.length !== 0) return;
    onDone(payload);
    if (notice !== undefined) notify(notice);
  }
  return <ConfirmDialog {...dialog} mutation={mutation} onConfirm={() => void run()} />;
}

interface MutationButtonProps<P, V> extends Omit<MutationDialogProps<P, V>, "onClose"> {
  readonly label: string;
  /** The accessible name, where several buttons have the same label. */
  readonly name?: string;
}

/** A button for a mutation that must be confirmed. */
export function MutationButton<P extends Payload, V>(props: MutationButtonProps<P, V>) {
  const { label, name, ...dialog } = props;
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button
        type="button"
        className={dialog.typed === undefined ? undefined : "danger"}
        aria-label={name}
        onClick={() => setOpen(true)}
      >
        {label}
      </button>
      {isOpen && (
        <MutationDialog
          {...dialog}
          onDone={(payload) => {
            setOpen(false);
            dialog.onDone(payload);
          }}
          onClose={() => setOpen(false)}
        />
      )}
    </>
  );
}
