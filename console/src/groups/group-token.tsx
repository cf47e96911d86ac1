import { useState } from "react";
import { RotateTokenDocument } from "../api/generated/operations.js";
import { MutationButton } from "../parts/confirm-dialog.js";
import { DocsLink } from "../parts/docs-link.js";
import { Secret } from "../parts/secret.js";
import { useScope, useSession } from "../session/session.js";
import { gracePeriod } from "./grace-period.js";
import type { GroupProps } from "./group-form.js";

export function GroupToken({ group: { name, token }, onUpdate }: GroupProps) {
  const canWrite = useScope("WRITE");
  const { tokenGraceSeconds } = useSession().viewer;
  const [graceSeconds, setGraceSeconds] = useState(tokenGraceSeconds);
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
            group. <DocsLink page="leaked-secret#user-group-token">What to do if it has leaked</DocsLink>
          </p>
          {canWrite && (
            <MutationButton
              label="Rotate token…"
              title="Rotate the token?"
              action="Rotate token"
              document={RotateTokenDocument}
              variables={{ token, graceSeconds }}
              notice="The token was rotated."
              onDone={({ userGroup }) => {
                setGraceSeconds(tokenGraceSeconds);
                if (userGroup) onUpdate(userGroup);
              }}
            >
              <p>
                <strong>{name}</strong> gets a new token, and its embed sessions end. The old token{" "}
                {gracePeriod(graceSeconds)}. Update the pages that use it.
              </p>
              {tokenGraceSeconds > 0 && (
                <p className="choices">
                  <label>
                    <input
                      type="checkbox"
                      checked={graceSeconds === 0}
                      onChange={({ target }) => setGraceSeconds(target.checked ? 0 : tokenGraceSeconds)}
                    />
                    Stop the old token immediately
                  </label>
                </p>
              )}
            </MutationButton>
          )}
        </>
      )}
    </section>
  );
}
