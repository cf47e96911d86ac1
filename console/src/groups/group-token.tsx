import { useState } from "react";
import { type GroupPartsFragment, RotateTokenDocument } from "../api/generated/operations.js";
import { ConfirmDialog } from "../parts/confirm-dialog.js";
import { useNotice } from "../parts/notices.js";
import { Secret } from "../parts/secret.js";
import { useScope } from "../session/session.js";
import { useMutation } from "../session/use-mutation.js";
import { GracePeriod } from "./grace-period.js";

interface GroupTokenProps {
  readonly group: GroupPartsFragment;
  /** Called with the group and its new token. */
  readonly onUpdate: (group: GroupPartsFragment) => void;
}

/** The token of a group, and its rotation. */
export function GroupToken({ group: { name, token }, onUpdate }: GroupTokenProps) {
  const [isConfirming, setConfirming] = useState(false);
  const rotate = useMutation(RotateTokenDocument);
  const canWrite = useScope("WRITE");
  const notify = useNotice();

  async function run(token: string) {
    const payload = await rotate.run({ token });
    if (!payload?.userGroup) return;
    setConfirming(false);
    onUpdate(payload.userGroup);
    notify("The token was rotated.");
  }
  return (
    <section className="card" aria-labelledby="token">
      <h2 id="token">Token</h2>
      {token === null ? (
        <p className="fine">Your API key has the scope read, which does not allow reading tokens.</p>
      ) : (
        <>
          <Secret key={token} label="Token" value={token} />
          <p className="fine">
            For your servers, and for pages that cannot renew embed sessions. Anyone who has it can read this
            group.
          </p>
          {canWrite && (
            <button type="button" onClick={() => setConfirming(true)}>
              Rotate token…
            </button>
          )}
        </>
      )}
      {isConfirming && token !== null && (
        <ConfirmDialog
          title="Rotate the token?"
          action="Rotate token"
          mutation={rotate}
          onConfirm={() => void run(token)}
          onClose={() => setConfirming(false)}
        >
          <p>
            <strong>{name}</strong> gets a new token, and its embed sessions end. The old token{" "}
            <GracePeriod />. Update the pages that use it.
          </p>
        </ConfirmDialog>
      )}
    </section>
  );
}
