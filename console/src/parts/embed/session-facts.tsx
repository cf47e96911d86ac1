import { useEffect, useState } from "react";
import { CodeBlock } from "../code-block.js";
import { DocsLink } from "../docs-link.js";
import type { SessionCheck } from "./session-check.js";

const SECOND_MS = 1000;

interface SessionFactsProps {
  readonly check: SessionCheck;
  readonly onExpired: () => void;
}

/** Whether an embed session is accepted, when it expires, and what it contains. */
export function SessionFacts({ check: { isAccepted, verdict, decoded }, onExpired }: SessionFactsProps) {
  const expiry = Number(decoded?.claims["exp"]) * SECOND_MS;
  return (
    <div className="session-facts">
      <p role="status">
        <span className={isAccepted ? "badge good" : "badge bad"}>{isAccepted ? "Valid" : "Refused"}</span>{" "}
        {verdict} {!isAccepted && <DocsLink page="refused-requests">Why requests are refused</DocsLink>}
      </p>
      {decoded && (
        <>
          {isAccepted && (
            <p className="fine">
              Expires in <Countdown key={expiry} until={expiry} onEnd={onExpired} />
            </p>
          )}
          <details>
            <summary>Decoded session</summary>
            <CodeBlock label="Decoded session" code={JSON.stringify(decoded, null, 2)} />
          </details>
        </>
      )}
    </div>
  );
}

/** The time that is left, in hours, minutes and seconds. */
function Countdown({ until, onEnd }: { readonly until: number; readonly onEnd: () => void }) {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    if (now >= until) return onEnd();
    const timer = setTimeout(() => setNow(Date.now()), SECOND_MS);
    return () => clearTimeout(timer);
  });
  return <span role="timer">{new Date(Math.max(0, until - now)).toISOString().slice(11, 19)}</span>;
}
