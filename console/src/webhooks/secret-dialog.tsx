import type { ReactNode } from "react";
import { Dialog } from "../parts/dialog.js";
import { Secret } from "../parts/secret.js";

interface SecretDialogProps {
  readonly title: string;
  readonly secret: string;
  readonly children?: ReactNode;
  readonly onClose: () => void;
}

/** Shows an endpoint's secret once. */
export function SecretDialog({ title, secret, children, onClose }: SecretDialogProps) {
  return (
    <Dialog title={title} onClose={onClose}>
      <p>Copy the secret now; it is shown only once. Your server verifies signatures with it.</p>
      <Secret label="Signing secret" value={secret} isShown />
      {children}
      <div className="actions end">
        <button type="button" className="primary" onClick={onClose}>
          Done
        </button>
      </div>
    </Dialog>
  );
}
