import { setDiagnostics } from "@codemirror/lint";
import { Compartment, EditorState } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import { useEffect, useImperativeHandle, useRef } from "react";
import { useNotice } from "../notices.js";
import { editing } from "./editing.js";
import { offsetAt, toDiagnostics } from "./marks.js";
import type { CodeEditorProps } from "./props.js";
import { useShadowRoot } from "./shadow-host.js";
import { reading } from "./theme.js";

/** Replaced by completion and hover once the JSON Schema has loaded. */
const SCHEMA_HELP = new Compartment();

/** A CodeMirror editor. Tab moves the focus, as in any other field; Ctrl+S submits the form around it. */
export function Editor(props: CodeEditorProps) {
  const { label, text, isReadOnly = false, marks, schemaUrl, handle } = props;
  const view = useRef<EditorView | null>(null);
  const onChange = useRef(props.onChange);
  const notify = useNotice();
  useEffect(() => {
    onChange.current = props.onChange;
  });
  const host = useShadowRoot((root) => {
    const change = EditorView.updateListener.of(({ docChanged, state }) => {
      if (docChanged) onChange.current(state.doc.toString());
    });
    const mode = isReadOnly ? EditorState.readOnly.of(true) : [editing(!marks), change];
    const extensions = [reading(label, isReadOnly), mode, SCHEMA_HELP.of([])];
    const created = new EditorView({
      state: EditorState.create({ doc: text, extensions }),
      parent: root,
      root,
    });
    view.current = created;
    return () => created.destroy();
  });
  useEffect(() => {
    const { current } = view;
    if (!current || current.state.doc.toString() === text) return;
    current.dispatch({ changes: { from: 0, to: current.state.doc.length, insert: text } });
  }, [text]);
  useEffect(() => {
    if (!view.current || !marks) return;
    view.current.dispatch(setDiagnostics(view.current.state, toDiagnostics(view.current.state, marks)));
  }, [marks]);
  useEffect(() => {
    if (schemaUrl === undefined) return;
    let isCurrent = true;
    import("./schema-help.js")
      .then(({ loadSchemaHelp }) => loadSchemaHelp(schemaUrl))
      .then(
        (help) => isCurrent && view.current?.dispatch({ effects: SCHEMA_HELP.reconfigure(help) }),
        () =>
          isCurrent && notify("The editor cannot complete settings: the JSON Schema could not be loaded."),
      );
    return () => {
      isCurrent = false;
    };
  }, [schemaUrl, notify]);
  useImperativeHandle(handle, () => ({
    goTo(line, column) {
      const { current } = view;
      if (!current) return;
      const anchor = offsetAt(current.state.doc, line, column);
      const selection = { anchor, head: current.state.doc.lineAt(anchor).to };
      current.dispatch({ selection, effects: EditorView.scrollIntoView(anchor, { y: "center" }) });
      current.focus();
    },
  }));
  return <div ref={host} className="code-editor-host" />;
}
