import { useRef, useState } from "react";
import { flushSync } from "react-dom";
import { useNotice } from "./notices.js";

interface SecretProps {
  readonly label: string;
  readonly value: string;
  /** Whether it is visible initially. */
  readonly isShown?: boolean;
}

/** A secret that is hidden by default and can be copied. */
export function Secret({ label, value, isShown: isShownInitially = false }: SecretProps) {
  const [isShown, setShown] = useState(isShownInitially);
  const input = useRef<HTMLInputElement>(null);
  const notify = useNotice();

  async function copy() {
    try {
      await navigator.clipboard.writeText(value);
      notify(`${label} copied.`);
    } catch {
      // The clipboard API requires HTTPS and may be blocked.
      flushSync(() => setShown(true));
      input.current?.select();
      notify("The browser blocked copying. The text is selected: press Ctrl+C.");
    }
  }
  return (
    <div className="secret">
      <input
        ref={input}
        className="code"
        aria-label={label}
        readOnly
        type={isShown ? "text" : "password"}
        autoComplete="off"
        value={value}
      />
      <button type="button" aria-pressed={isShown} onClick={() => setShown(!isShown)}>
        {isShown ? "Hide" : "Show"}
      </button>
      <button type="button" onClick={copy}>
        Copy
      </button>
    </div>
  );
}
