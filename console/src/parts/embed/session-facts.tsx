import { useEffect, useState } from "react";
import { CodeBlock } from "../code-block.js";
import { Time } from "../time.js";
import type { SessionCheck } from "./session-check.js";

const SECOND_MS = 1000;

interface SessionFactsProps {
  readonly check: SessionCheck;
  /** Called when the session expires. */
  readonly onExpired: () => void;
}

/** Whether an embed session is accepted, when it expires, and what it contains. */
export function SessionFacts({ check: { isAccepted, verdict, decoded }, onExpired }: SessionFactsProps) {
  const expiry = Number(decoded?.claims["exp"]) * SECOND_MS;
  return (
    <div className="session-facts">
      <p role="status">
        <span className={isAccepted ? "badge good" : "badge bad"}>{isAccepted ? "Valid" : "Refused"}</span>{" "}
        {verdict}
      </p>
      {decoded && (
        <>
          <dl className="facts">
            <div>
              <dt>Audience</dt>
              <dd className="code">{String(decoded.claims["aud"])}</dd>
            </div>
            {Number.isFinite(expiry) && (
              <div>
                <dt>Expires</dt>
                <dd>
                  {isAccepted ? (
                    <Countdown key={expiry} until={expiry} onEnd={onExpired} />
                  ) : (
                    <Time at={new Date(expiry).toISOString()} />
                  )}
                </dd>
              </div>
            )}
          </dl>
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
  const isOver = now >= until;
  useEffect(() => {
    if (isOver) return onEnd();
    const timer = setTimeout(() => setNow(Date.now()), SECOND_MS);
    return () => clearTimeout(timer);
  });
  const seconds = Math.max(0, Math.ceil((until - now) / SECOND_MS));
  const [hours, minutes, rest] = [seconds / 3600, (seconds / 60) % 60, seconds % 60].map((part) =>
    String(Math.floor(part)).padStart(2, "0"),
  );
  return (
    <span role="timer">
      in {hours === "00" ? "" : `${hours}:`}
      {minutes}:{rest}
    </span>
  );
}
