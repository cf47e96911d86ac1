import {
  autocompletion,
  closeBrackets,
  closeBracketsKeymap,
  completionKeymap,
} from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { jsonParseLinter } from "@codemirror/lang-json";
import { foldKeymap, indentOnInput } from "@codemirror/language";
import { type Diagnostic, linter, lintGutter, lintKeymap } from "@codemirror/lint";
import type { Extension } from "@codemirror/state";
import { type EditorView, highlightActiveLine, highlightActiveLineGutter, keymap } from "@codemirror/view";

const checkJson = jsonParseLinter();

/**
 * Extensions of an editor whose text can be changed.
 * @param hasSyntaxCheck whether to mark JSON syntax errors
 */
export function editing(hasSyntaxCheck: boolean): Extension {
  return [
    history(),
    indentOnInput(),
    closeBrackets(),
    autocompletion({ icons: false }),
    highlightActiveLine(),
    highlightActiveLineGutter(),
    lintGutter(),
    hasSyntaxCheck ? linter(checkSyntax) : [],
    keymap.of([
      {
        key: "Mod-s",
        preventDefault: true,
        run: ({ root }) => {
          if (root instanceof ShadowRoot) root.host.closest("form")?.requestSubmit();
          return true;
        },
      },
      ...closeBracketsKeymap,
      ...completionKeymap,
      ...defaultKeymap,
      ...historyKeymap,
      ...foldKeymap,
      ...lintKeymap,
    ]),
  ];
}

/** An empty text stands for no value. */
function checkSyntax(view: EditorView): Diagnostic[] {
  return view.state.doc.length === 0 ? [] : checkJson(view);
}
