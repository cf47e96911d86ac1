import { type RefObject, useRef } from "react";

interface TextEditorProps {
  readonly label: string;
  readonly describedBy: string;
  readonly text: string;
  readonly isReadOnly: boolean;
  readonly area: RefObject<HTMLTextAreaElement | null>;
  readonly onChange: (text: string) => void;
}

/** A textarea with line numbers. Tab moves the focus as in any other field. */
export function TextEditor({ label, describedBy, text, isReadOnly, area, onChange }: TextEditorProps) {
  const numbers = useRef<HTMLPreElement>(null);
  const lines = text.split("\n").length;
  return (
    <div className="text-editor">
      <pre ref={numbers} className="numbers" aria-hidden="true">
        {Array.from({ length: lines }, (_, index) => index + 1).join("\n")}
      </pre>
      <textarea
        ref={area}
        className="code"
        aria-label={label}
        aria-describedby={describedBy}
        wrap="off"
        spellCheck={false}
        autoComplete="off"
        value={text}
        readOnly={isReadOnly}
        onChange={(event) => onChange(event.target.value)}
        onScroll={(event) => {
          if (numbers.current) numbers.current.scrollTop = event.currentTarget.scrollTop;
        }}
      />
    </div>
  );
}

/** Selects the text from a position to the end of its line. */
export function goToPosition(area: HTMLTextAreaElement, line: number, column: number): void {
  const lines = area.value.split("\n");
  const start = lines.slice(0, line - 1).reduce((sum, { length }) => sum + length + 1, 0);
  const end = start + (lines[line - 1]?.length ?? 0);
  area.focus();
  area.setSelectionRange(Math.min(start + column - 1, end), end);
  const lineHeight = area.scrollHeight / lines.length;
  area.scrollTop = Math.max(0, (line - 1) * lineHeight - area.clientHeight / 3);
}
