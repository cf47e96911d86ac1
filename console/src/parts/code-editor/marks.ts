import { syntaxTree } from "@codemirror/language";
import type { Diagnostic } from "@codemirror/lint";
import type { EditorState, Text } from "@codemirror/state";
import type { Mark } from "./props.js";

const SEVERITIES = { error: "error", warning: "warning", notice: "info" } as const;

/** Returns the offset of a position; positions outside of the text count as the nearest one in it. */
export function offsetAt(doc: Text, line: number, column: number): number {
  const { from, to } = doc.line(Math.min(Math.max(line, 1), doc.lines));
  return Math.min(from + Math.max(column, 1) - 1, to);
}

/** Returns the marks as diagnostics of the JSON values that they are about, up to the end of the line. */
export function toDiagnostics(state: EditorState, marks: readonly Mark[]): Diagnostic[] {
  return marks.map(({ line, column, severity, message }) => {
    const from = offsetAt(state.doc, line, column);
    const node = syntaxTree(state).resolveInner(from, 1);
    const to = Math.min(Math.max(node.to, from + 1), state.doc.lineAt(from).to);
    return { from, to: Math.max(from, to), severity: SEVERITIES[severity], message };
  });
}
