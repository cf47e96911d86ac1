import { OnDemand } from "../on-demand.js";
import { Skeleton } from "../skeleton.js";
import type { CodeEditorProps, DiffProps } from "./props.js";

/** A code editor. It is loaded on demand, with a skeleton meanwhile. */
export function CodeEditor(props: CodeEditorProps) {
  return (
    <div className="code-editor">
      <OnDemand load={loadEditor} props={props} placeholder={<Skeleton lines={10} />} />
    </div>
  );
}

/** Two versions of a JSON text side by side; on narrow screens one below the other. */
export function CodeDiff(props: DiffProps) {
  return (
    <div className="code-editor code-diff">
      <OnDemand load={loadDiff} props={props} placeholder={<Skeleton lines={10} />} />
    </div>
  );
}

async function loadEditor(): Promise<(props: CodeEditorProps) => React.ReactNode> {
  return (await import("./editor.js")).Editor;
}

async function loadDiff(): Promise<(props: DiffProps) => React.ReactNode> {
  return (await import("./diff.js")).Diff;
}
