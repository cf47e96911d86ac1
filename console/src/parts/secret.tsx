import { useRef, useState } from "react";
import { flushSync } from "react-dom";
import { useNotice } from "./notices.js";

interface SecretProps {
  readonly label: string;
  readonly value: string;
  /** Whether it is shown at first. */
  readonly isShown?: boolean;
}

/** A secret that is hidden until somebody asks to see it, and can be copied either way. */
export function Secret({ label, value, isShown: isShownAtFirst = false }: SecretProps) {
  const [isShown, setShown] = useState(isShownAtFirst);
  const input = useRef<HTMLInputElement>(null);
  const notify = useNotice();

  async function copy() {
    try {
      await navigator.clipboard.writeText(value);
      notify(`${label} copied.`);
    } catch {
      // Browsers give pages the clipboard over HTTPS only, or not at all.
      flushSync(() => setShown(true));
      input.current?.select();
      notify("The browser does not let this page copy: it is selected, press Ctrl+C.");
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
