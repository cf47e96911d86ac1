import { useEffect, useState } from "react";
import { Icon } from "./icon.js";
import { useNotice } from "./notices.js";

const SHOWN_MS = 2000;
const COPY = "M9 9h11v11H9zM5 15H4V4h11v1";
const CHECK = "M5 12l5 5 9-10";

interface CopyButtonProps {
  /** Name of the text in the notice: "Token" becomes "Token copied." */
  readonly label: string;
  readonly text: string;
  readonly isIcon?: boolean;
  /** Called to select the text if the browser blocks the clipboard, which requires HTTPS or localhost. */
  readonly onBlocked?: () => void;
}

/** Copies a text to the clipboard, and says so on the button, where the user looks. */
export function CopyButton({ label, text, isIcon = false, onBlocked }: CopyButtonProps) {
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
      className={isIcon ? "icon-button" : "copy"}
      title={isIcon ? `Copy ${label}` : undefined}
      aria-label={isCopied ? `Copied ${label}` : `Copy ${label}`}
      onClick={() => void copy()}
    >
      {isIcon ? <Icon path={isCopied ? CHECK : COPY} /> : isCopied ? "Copied" : "Copy"}
    </button>
  );
}
