import { type ReactNode, useEffect, useId, useRef } from "react";
import { NoticeRegion } from "./notices.js";
import { focusHeading } from "./page.js";

interface DialogProps {
  readonly title: string;
  readonly isWide?: boolean;
  /** Whether Escape does not close it. */
  readonly isKept?: boolean;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/** Closes all dialogs: an open modal dialog would block the sign-in page. */
export function closeDialogs(): void {
  for (const dialog of document.querySelectorAll("dialog")) dialog.close();
}

/** A modal dialog, open while mounted. Escape closes it, unless it is kept, and the focus returns to the previous element. */
export function Dialog({ title, isWide = false, isKept = false, onClose, children }: DialogProps) {
  const id = useId();
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const { current } = dialog;
    const opener = document.activeElement;
    current?.showModal();
    return () => {
      // The opener may have been removed by the dialog's action.
      if (opener instanceof HTMLElement && opener.isConnected) opener.focus();
      else focusHeading();
    };
  }, []);
  return (
    <dialog
      ref={dialog}
      aria-labelledby={id}
      className={isWide ? "wide" : undefined}
      // Browsers close a dialog at the second Escape, even if `cancel` is prevented.
      closedby={isKept ? "none" : "closerequest"}
      onClose={onClose}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
    >
      <h2 id={id}>{title}</h2>
      {children}
      <NoticeRegion />
    </dialog>
  );
}

/** The only action of a dialog that changes nothing. */
export function CloseAction({ onClose }: Pick<DialogProps, "onClose">) {
  return (
    <div className="actions end">
      <button type="button" onClick={onClose}>
        Close
      </button>
    </div>
  );
}
