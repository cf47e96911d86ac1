import { useState } from "react";
import { RotateTokenDocument } from "../api/generated/operations.js";
import { MutationButton } from "../parts/confirm-dialog.js";
import { DocsLink } from "../parts/docs-link.js";
import { Secret } from "../parts/secret.js";
import { useScope, useSession } from "../session/session.js";
import { gracePeriod } from "./grace-period.js";
import type { GroupProps } from "./group-form.js";

export function GroupToken({ group: { token } }: Pick<GroupProps, "group">) {
  const { browser, viewer } = useSession();
  const canEmbed = useScope("EMBED");
  const subject = browser.person ? "Your role" : "Your API key";
  return (
    <section className="card" aria-labelledby="token">
      <h2 id="token">Token</h2>
      {token === null || !canEmbed ? (
        <p className="fine">
          {subject} has the scope {viewer.scope.toLowerCase()}, which does not allow reading tokens.
        </p>
      ) : (
        <>
          <Secret key={token} label="Token" value={token} />
          <p className="fine">
            For your servers, and for pages that cannot renew embed sessions. Anyone who has it can read this
            group. <DocsLink page="leaked-secret#user-group-token">What to do if it has leaked</DocsLink>
          </p>
        </>
      )}
    </section>
  );
}

export function RotateToken({ group: { name, token }, onUpdate }: GroupProps) {
  const { tokenGraceSeconds } = useSession().viewer;
  const [graceSeconds, setGraceSeconds] = useState(tokenGraceSeconds);
  if (token === null) return null;
  return (
    <MutationButton
      label="Rotate token…"
      title="Rotate the token?"
      action="Rotate token"
      document={RotateTokenDocument}
      variables={{ token, graceSeconds }}
      notice="The token was rotated. The new one is in “Sessions and code”."
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
  );
}
