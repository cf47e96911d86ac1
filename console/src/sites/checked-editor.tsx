import { type SiteConfigReport, siteConfigJsonSchema, validateSiteConfig } from "@user-groups/site-config";
import { type ReactNode, useMemo, useRef } from "react";
import { CodeEditor } from "../parts/code-editor/code-editor.js";
import type { EditorHandle, Mark } from "../parts/code-editor/props.js";
import { useDebounced } from "../parts/use-debounced.js";
import { FindingList } from "./finding-list.js";
import { Preview } from "./preview.js";
import { bySeverity } from "./severities.js";

export interface CheckedEditorProps {
  readonly text: string;
  readonly isReadOnly: boolean;
  /** Whether the service has refused the text. */
  readonly isInvalid: boolean;
  readonly onChange: (text: string) => void;
  /** Shown below the text. */
  readonly children: ReactNode;
}

/** An editor for the text of a site configuration, with findings and preview. */
export function CheckedEditor({ text, isReadOnly, isInvalid, onChange, children }: CheckedEditorProps) {
  const editor = useRef<EditorHandle>(null);
  const settled = useDebounced(text);
  const report = useMemo(() => validateSiteConfig(settled), [settled]);
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
          schema={siteConfigJsonSchema}
          handle={editor}
        />
        <p className="fine keys">
          <kbd>Ctrl</kbd> <kbd>Space</kbd> completes settings, <kbd>F8</kbd> goes to the next finding.
        </p>
        {children}
      </div>
      <div className="beside">
        <FindingList
          report={report}
          isChecking={settled !== text}
          onGoTo={(line, column) => editor.current?.goTo(line, column)}
        />
        <Preview text={text} />
      </div>
    </div>
  );
}

function marksOf(report: SiteConfigReport): readonly Mark[] {
  return bySeverity(report).flatMap(({ severity, findings }) =>
    findings.flatMap(({ line, column, message }) =>
      line === undefined || column === undefined ? [] : [{ line, column, severity, message }],
    ),
  );
}
