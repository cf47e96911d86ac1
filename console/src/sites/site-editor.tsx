import { type ReactNode, useMemo, useRef } from "react";
import { CodeEditor } from "../parts/code-editor/code-editor.js";
import type { EditorHandle, Mark } from "../parts/code-editor/props.js";
import { FindingList } from "./finding-list.js";
import { Preview } from "./preview.js";
import { bySeverity } from "./severities.js";
import { type Findings, useFindings } from "./use-findings.js";

/** Relative, because the service may be served below a path prefix of a proxy. */
const SCHEMA_URL = "../schemas/site-config.json";
const NO_MARKS: readonly Mark[] = [];

interface SiteEditorProps {
  readonly text: string;
  readonly isReadOnly: boolean;
  /** Whether the service has refused the text. */
  readonly isInvalid: boolean;
  readonly onChange: (text: string) => void;
  /** Shown below the text. */
  readonly children: ReactNode;
}

/** An editor for the text of a site configuration, with findings and preview. */
export function SiteEditor({ text, isReadOnly, isInvalid, onChange, children }: SiteEditorProps) {
  const editor = useRef<EditorHandle>(null);
  const findings = useFindings(text);
  const { report } = findings;
  // While the text is checked, the editor moves the marks of the previous report with the text.
  const marks = useMemo(() => marksOf(report), [report]);
  return (
    <div className="site-editor">
      <div>
        <CodeEditor
          label="Site configuration"
          text={text}
          isReadOnly={isReadOnly}
          isInvalid={isInvalid}
          onChange={onChange}
          marks={marks}
          schemaUrl={SCHEMA_URL}
          handle={editor}
        />
        <p className="fine keys">
          <kbd>Ctrl</kbd> <kbd>Space</kbd> completes settings, <kbd>F8</kbd> goes to the next finding.
        </p>
        {children}
      </div>
      <div className="beside">
        <FindingList findings={findings} onGoTo={(line, column) => editor.current?.goTo(line, column)} />
        <Preview text={text} />
      </div>
    </div>
  );
}

function marksOf(report: Findings["report"]): readonly Mark[] {
  if (!report) return NO_MARKS;
  return bySeverity(report).flatMap(({ severity, findings }) =>
    findings.flatMap(({ line, column, message }) =>
      line === null || column === null ? [] : [{ line, column, severity, message }],
    ),
  );
}
