import { CopyButton } from "./copy-button.js";
import { Scrolled } from "./scrolled.js";

interface CodeBlockProps {
  /** Accessible name, and the name in the notice after copying. */
  readonly label: string;
  readonly code: string;
}

/** Preformatted text with a copy button. */
export function CodeBlock({ label, code }: CodeBlockProps) {
  return (
    <div className="code-block">
      <CopyButton label={label} text={code} />
      <Scrolled label={label}>
        <pre>
          <code>{code}</code>
        </pre>
      </Scrolled>
    </div>
  );
}
