import { OnDemand } from "../parts/on-demand.js";
import { Skeleton } from "../parts/skeleton.js";
import type { CheckedEditorProps } from "./checked-editor.js";

/** An editor for the text of a site configuration. It is loaded on demand, with a skeleton meanwhile, because the rules are large. */
export function SiteEditor(props: CheckedEditorProps) {
  return <OnDemand load={loadEditor} props={props} placeholder={<Skeleton lines={10} />} />;
}

async function loadEditor() {
  return (await import("./checked-editor.js")).CheckedEditor;
}
