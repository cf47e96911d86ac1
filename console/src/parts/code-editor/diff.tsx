import { MergeView, unifiedMergeView } from "@codemirror/merge";
import { EditorState } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import type { DiffProps } from "./props.js";
import { useShadowRoot } from "./shadow-host.js";
import { reading } from "./theme.js";

/** Unchanged lines that stay visible around changes. */
const UNCHANGED = { margin: 3, minSize: 6 };
const NARROW = "(max-width: 760px)";

/** A read-only comparison: side by side, or on narrow screens in one column. */
export function Diff({ before, after }: DiffProps) {
  const host = useShadowRoot((root) => {
    if (matchMedia(NARROW).matches) {
      const unified = unifiedMergeView({
        original: before.text,
        mergeControls: false,
        collapseUnchanged: UNCHANGED,
      });
      const extensions = [extensionsOf(after.label), unified];
      const view = new EditorView({ doc: after.text, extensions, parent: root, root });
      return () => view.destroy();
    }
    const view = new MergeView({
      a: { doc: before.text, extensions: extensionsOf(before.label) },
      b: { doc: after.text, extensions: extensionsOf(after.label) },
      collapseUnchanged: UNCHANGED,
      parent: root,
      root,
    });
    return () => view.destroy();
  });
  return <div ref={host} className="code-editor-host" />;
}

function extensionsOf(label: string) {
  return [reading(label, true), EditorState.readOnly.of(true), EditorView.lineWrapping];
}
