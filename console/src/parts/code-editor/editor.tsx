import { syntaxTree } from "@codemirror/language";
import { setDiagnostics } from "@codemirror/lint";
import { Annotation, EditorState } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import { useContext, useEffect, useImperativeHandle, useRef } from "react";
import { flushSync } from "react-dom";
import { NavigationContext } from "../../routing/navigation.js";
import { useNotice } from "../notices.js";
import { editing, helping } from "./editing.js";
import { offsetAt, toDiagnostics } from "./marks.js";
import type { CodeEditorProps } from "./props.js";
import { useShadowRoot } from "./shadow-host.js";
import { reading } from "./theme.js";

/** Marks changes that the editor does not report. */
const FROM_OUTSIDE = Annotation.define<boolean>();

/** Length from which a text is reported after a pause only: parsing it takes longer than a key press may. */
const LONG_TEXT = 10_000;
const PAUSE_MS = 150;

/** A CodeMirror editor. Tab moves the focus, as in any other field; Ctrl+S submits the form around it. */
export function Editor(props: CodeEditorProps) {
  const { label, text, isReadOnly = false, isInvalid = false, marks, schema, handle } = props;
  const view = useRef<EditorView | null>(null);
  const onChange = useRef(props.onChange);
  // Texts that have not come back as `text` yet: one that does must not undo what was typed since.
  const reported = useRef<string[]>([]);
  const { unsaved } = useContext(NavigationContext);
  const notify = useNotice();
  useEffect(() => {
    onChange.current = props.onChange;
  });
  async function loadHelp(jsonSchema: object) {
    try {
      return (await import("./schema-help.js")).createSchemaHelp(jsonSchema);
    } catch {
      notify("The editor cannot complete settings: a part of the console could not be loaded.");
      return null;
    }
  }
  const host = useShadowRoot((root) => {
    let pause: number | undefined;
    const mark = {};
    const change = EditorView.updateListener.of(({ docChanged, state, transactions }) => {
      if (!docChanged) return;
      stopPause();
      if (transactions.some((transaction) => transaction.annotation(FROM_OUTSIDE))) return;
      if (state.doc.length < LONG_TEXT) return report();
      pause = setTimeout(flush, PAUSE_MS);
      // The form does not know of the change yet, and somebody may leave the page.
      unsaved.add(mark);
    });
    function stopPause() {
      clearTimeout(pause);
      pause = undefined;
      unsaved.delete(mark);
    }
    function report() {
      const typed = created.state.doc.toString();
      reported.current.push(typed);
      onChange.current(typed);
    }
    /** Reports what was typed last, before the form is used. */
    function flush() {
      if (pause === undefined) return;
      flushSync(report);
      stopPause();
    }
    const blur = EditorView.domEventHandlers({ blur: flush });
    const mode = isReadOnly ? EditorState.readOnly.of(true) : [editing(!marks, flush), change, blur];
    const help = schema === undefined ? [] : helping(loadHelp(schema()));
    const extensions = [reading(label, isReadOnly), mode, help];
    const created = new EditorView({
      state: EditorState.create({ doc: text, extensions }),
      parent: root,
      root,
    });
    view.current = created;
    return () => {
      stopPause();
      created.destroy();
    };
  });
  useEffect(() => {
    const { current } = view;
    const echo = reported.current.indexOf(text);
    reported.current.splice(0, echo + 1);
    if (!current || echo >= 0 || current.state.doc.toString() === text) return;
    const changes = { from: 0, to: current.state.doc.length, insert: text };
    current.dispatch({ changes, annotations: FROM_OUTSIDE.of(true) });
  }, [text]);
  useEffect(() => {
    if (!view.current || !marks) return;
    view.current.dispatch(setDiagnostics(view.current.state, toDiagnostics(view.current.state, marks)));
  }, [marks]);
  useImperativeHandle(handle, () => ({
    goTo(line, column) {
      const { current } = view;
      if (!current) return;
      const anchor = offsetAt(current.state.doc, line, column);
      const selection = { anchor, head: current.state.doc.lineAt(anchor).to };
      current.dispatch({ selection, effects: EditorView.scrollIntoView(anchor, { y: "center" }) });
      current.focus();
    },
    insert(inserted) {
      const { current } = view;
      if (!current) return;
      const { state } = current;
      const isInString = syntaxTree(state).resolveInner(state.selection.main.from).name === "String";
      const json = JSON.stringify(inserted);
      current.dispatch(state.replaceSelection(isInString ? json.slice(1, -1) : json));
      current.focus();
    },
  }));
  return <div ref={host} className="code-editor-host" data-invalid={isInvalid || undefined} />;
}
