import { type ReactNode, useRef } from "react";
import { FindingList } from "./finding-list.js";
import { Preview } from "./preview.js";
import { goToPosition, TextEditor } from "./text-editor.js";
import { useFindings } from "./use-findings.js";

interface SiteEditorProps {
  readonly text: string;
  readonly isReadOnly: boolean;
  readonly onChange: (text: string) => void;
  /** Shown below the text. */
  readonly children: ReactNode;
}

/** An editor for the text of a site configuration, with findings and preview. */
export function SiteEditor({ text, isReadOnly, onChange, children }: SiteEditorProps) {
  const area = useRef<HTMLTextAreaElement>(null);
  const findings = useFindings(text);
  return (
    <div className="site-editor">
      <div>
        <TextEditor
          label="Site configuration"
          describedBy="findings-summary"
          text={text}
          isReadOnly={isReadOnly}
          area={area}
          onChange={onChange}
        />
        {children}
      </div>
      <div className="beside">
        <FindingList
          findings={findings}
          onGoTo={(line, column) => area.current && goToPosition(area.current, line, column)}
        />
        <Preview text={text} />
      </div>
    </div>
  );
}
