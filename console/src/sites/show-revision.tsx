import { useState } from "react";
import { SiteComparisonDocument, type SitePartsFragment } from "../api/generated/operations.js";
import { CodeDiff, CodeEditor } from "../parts/code-editor/code-editor.js";
import { CloseAction, Dialog } from "../parts/dialog.js";
import { Loaded } from "../parts/loaded.js";
import { Tabs } from "../parts/tabs.js";
import { useQuery } from "../session/use-query.js";
import { toField } from "./line-ends.js";

interface ShowRevisionProps {
  readonly site: SitePartsFragment;
  readonly revision: number;
  readonly onClose: () => void;
}

/** A revision compared with another one, and its text. */
export function ShowRevision({ site: { site, revision: latest }, revision, onClose }: ShowRevisionProps) {
  const [other, setOther] = useState(revision === latest ? revision - 1 : latest);
  return (
    <Dialog title={`Revision ${revision}`} isWide onClose={onClose}>
      {latest === 1 ? (
        <Comparison site={site} from={1} to={1} shown={1} />
      ) : (
        <>
          <p className="section-head compared">
            <span>
              Changes from <strong>revision {Math.min(revision, other)}</strong> to{" "}
              <strong>revision {Math.max(revision, other)}</strong>
            </span>
            <label>
              Compare with revision
              <input
                type="number"
                min={1}
                max={latest}
                value={other}
                onChange={({ target: { valueAsNumber } }) => {
                  if (valueAsNumber >= 1 && valueAsNumber <= latest) setOther(Math.trunc(valueAsNumber));
                }}
              />
            </label>
          </p>
          <Comparison
            key={other}
            site={site}
            from={Math.min(revision, other)}
            to={Math.max(revision, other)}
            shown={revision}
          />
        </>
      )}
      <CloseAction onClose={onClose} />
    </Dialog>
  );
}

interface ComparisonProps {
  readonly site: string;
  readonly from: number;
  readonly to: number;
  /** The revision whose text is shown in the second tab. */
  readonly shown: number;
}

function Comparison({ site, from, to, shown }: ComparisonProps) {
  const query = useQuery(SiteComparisonDocument, { site, from, to });
  return (
    <Loaded query={query}>
      {({ siteConfig }) => {
        const before = toField(siteConfig?.before?.text ?? "");
        const after = toField(siteConfig?.after?.text ?? "");
        const changes = {
          name: "Changes",
          content: () =>
            before === after ? (
              <p>The texts are equal.</p>
            ) : (
              <CodeDiff
                before={{ label: `Revision ${from}`, text: before }}
                after={{ label: `Revision ${to}`, text: after }}
              />
            ),
        };
        const text = {
          name: "Text",
          content: () => (
            <CodeEditor
              label={`Text of revision ${shown}`}
              text={shown === from ? before : after}
              isReadOnly
              onChange={() => undefined}
            />
          ),
        };
        return <Tabs label={`Revision ${shown}`} tabs={from === to ? [text] : [changes, text]} />;
      }}
    </Loaded>
  );
}
