import { useEffect, useState } from "react";
import { toFailure } from "../../api/failure.js";
import { Problem } from "../problem.js";
import { Skeleton } from "../skeleton.js";
import type { CodeEditorProps, DiffProps } from "./props.js";

/** A code editor. It is loaded on demand, with a skeleton meanwhile. */
export function CodeEditor(props: CodeEditorProps) {
  return (
    <div className="code-editor">
      <OnDemand load={loadEditor} props={props} />
    </div>
  );
}

/** Two versions of a JSON text side by side; on narrow screens one below the other. */
export function CodeDiff(props: DiffProps) {
  return (
    <div className="code-editor code-diff">
      <OnDemand load={loadDiff} props={props} />
    </div>
  );
}

async function loadEditor(): Promise<(props: CodeEditorProps) => React.ReactNode> {
  return (await import("./editor.js")).Editor;
}

async function loadDiff(): Promise<(props: DiffProps) => React.ReactNode> {
  return (await import("./diff.js")).Diff;
}

interface OnDemandProps<Props extends object> {
  readonly load: () => Promise<(props: Props) => React.ReactNode>;
  readonly props: Props;
}

/** Renders a component once its module has loaded. */
function OnDemand<Props extends object>({ load, props }: OnDemandProps<Props>) {
  const [Loaded, setLoaded] = useState<((props: Props) => React.ReactNode) | null>(null);
  const [error, setError] = useState<unknown>(null);
  useEffect(() => {
    let isCurrent = true;
    load().then(
      (component) => isCurrent && setLoaded(() => component),
      (reason: unknown) => isCurrent && setError(reason),
    );
    return () => {
      isCurrent = false;
    };
  }, [load]);
  if (error !== null) {
    return (
      <Problem failure={toFailure(error)}>
        <p>The editor could not be loaded. Reload the page to try again.</p>
      </Problem>
    );
  }
  return Loaded ? <Loaded {...props} /> : <Skeleton lines={10} />;
}
