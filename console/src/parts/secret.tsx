import { useRef, useState } from "react";
import { flushSync } from "react-dom";
import { CopyButton } from "./copy-button.js";

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

  function select() {
    flushSync(() => setShown(true));
    input.current?.select();
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
      <CopyButton label={label} text={value} onBlocked={select} />
    </div>
  );
}
