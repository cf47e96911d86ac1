import { useNotice } from "./notices.js";

interface CopyButtonProps {
  /** Name of the text in the notice: "Token" becomes "Token copied." */
  readonly label: string;
  readonly text: string;
  /** Called if the browser blocks the clipboard, which requires HTTPS or localhost. */
  readonly onBlocked?: () => void;
}

/** Copies a text to the clipboard. */
export function CopyButton({ label, text, onBlocked }: CopyButtonProps) {
  const notify = useNotice();

  async function copy() {
    try {
      await navigator.clipboard.writeText(text);
      notify(`${label} copied.`);
    } catch {
      onBlocked?.();
      notify("The browser blocked copying. Select the text and press Ctrl+C.");
    }
  }
  return (
    <button type="button" aria-label={`Copy ${label}`} onClick={() => void copy()}>
      Copy
    </button>
  );
}
