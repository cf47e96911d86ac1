import {
  autocompletion,
  type CompletionContext,
  closeBrackets,
  closeBracketsKeymap,
  completionKeymap,
} from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { jsonLanguage, jsonParseLinter } from "@codemirror/lang-json";
import { foldKeymap, indentOnInput } from "@codemirror/language";
import { type Diagnostic, linter, lintGutter, lintKeymap } from "@codemirror/lint";
import type { Extension } from "@codemirror/state";
import {
  type EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  hoverTooltip,
  keymap,
} from "@codemirror/view";
import { submit } from "../form.js";
import type { SchemaHelp } from "./schema-help.js";

const checkJson = jsonParseLinter();

/**
 * Extensions of an editor whose text can be changed.
 * @param hasSyntaxCheck whether to mark JSON syntax errors
 * @param onSubmit called before Ctrl+S submits the form
 */
export function editing(hasSyntaxCheck: boolean, onSubmit: () => void): Extension {
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
          onSubmit();
          if (root instanceof ShadowRoot) submit(root.host.closest("form"));
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

/**
 * Extensions that complete and describe settings.
 * @param loading null if the JSON Schema cannot be loaded
 */
export function helping(loading: Promise<SchemaHelp | null>): Extension {
  return [
    jsonLanguage.data.of({
      autocomplete: async (context: CompletionContext) => (await loading)?.complete(context) ?? null,
    }),
    hoverTooltip(async (view, pos, side) => (await loading)?.describe(view, pos, side) ?? null),
  ];
}

/** An empty text stands for no value. */
function checkSyntax(view: EditorView): Diagnostic[] {
  return view.state.doc.length === 0 ? [] : checkJson(view);
}
