import { type ReactNode, useRef } from "react";
import { FindingList } from "./finding-list.js";
import { Preview } from "./preview.js";
import { goToPlace, TextEditor } from "./text-editor.js";
import { useFindings } from "./use-findings.js";

interface SiteEditorProps {
  readonly text: string;
  readonly isReadOnly: boolean;
  readonly onChange: (text: string) => void;
  /** What stands below the text. */
  readonly children: ReactNode;
}

/** The text of a site configuration, with what the service finds in it and how the site will look. */
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
          onGoTo={(line, column) => area.current && goToPlace(area.current, line, column)}
        />
        <Preview text={text} />
      </div>
    </div>
  );
}
