import type { ReactNode } from "react";
import { Dialog } from "./dialog.js";
import { Secret } from "./secret.js";

interface SecretDialogProps {
  readonly title: string;
  /** Name of the secret: "API key". */
  readonly label: string;
  readonly secret: string;
  /** Purpose of the secret, in a sentence. */
  readonly children?: ReactNode;
  readonly onClose: () => void;
}

/** Shows a new secret once. */
export function SecretDialog({ title, label, secret, children, onClose }: SecretDialogProps) {
  return (
    <Dialog title={title} onClose={onClose}>
      <p>
        Copy the {label.replace(/^[A-Z](?=[a-z])/, (first) => first.toLowerCase())} now: it is shown only
        once.
      </p>
      <Secret label={label} value={secret} isShown />
      {children}
      <div className="actions end">
        <button type="button" className="primary" onClick={onClose}>
          Done
        </button>
      </div>
    </Dialog>
  );
}
