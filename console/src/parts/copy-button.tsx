import { useEffect, useState } from "react";
import { useNotice } from "./notices.js";

const SHOWN_MS = 2000;

interface CopyButtonProps {
  /** Name of the text in the notice: "Token" becomes "Token copied." */
  readonly label: string;
  readonly text: string;
  /** Called to select the text if the browser blocks the clipboard, which requires HTTPS or localhost. */
  readonly onBlocked?: () => void;
}

/** Copies a text to the clipboard, and says so on the button, where the user looks. */
export function CopyButton({ label, text, onBlocked }: CopyButtonProps) {
  const notify = useNotice();
  const [isCopied, setCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return;
    const timer = setTimeout(() => setCopied(false), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [isCopied]);

  async function copy() {
    try {
      await navigator.clipboard.writeText(text);
      setCopied(true);
      notify(`${label} copied.`);
    } catch {
      onBlocked?.();
      notify(
        `The browser blocked copying. ${onBlocked ? "The text is selected: press" : "Select the text and press"} Ctrl+C.`,
      );
    }
  }
  return (
    <button
      type="button"
      className="copy"
      aria-label={isCopied ? `Copied ${label}` : `Copy ${label}`}
      onClick={() => void copy()}
    >
      {isCopied ? "Copied" : "Copy"}
    </button>
  );
}
