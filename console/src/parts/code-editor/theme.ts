import { json } from "@codemirror/lang-json";
import { bracketMatching, foldGutter, HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import { highlightSelectionMatches, search, searchKeymap } from "@codemirror/search";
import type { Extension } from "@codemirror/state";
import { drawSelection, EditorView, keymap, lineNumbers } from "@codemirror/view";
import { tags } from "@lezer/highlight";

// The custom properties are inherited from the page, which also switches between light and dark.
const THEME = EditorView.theme({
  "&": { height: "100%", color: "var(--ink)", backgroundColor: "var(--surface)", fontSize: "0.8125rem" },
  // The page outlines the whole editor: the gutter would cover an outline in here.
  "&.cm-focused": { outline: "none" },
  // Phones enlarge the page when smaller text gets the focus.
  "@media (pointer: coarse)": { "&": { fontSize: "1rem" } },
  ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "1.6" },
  ".cm-content": { padding: "10px 0", caretColor: "var(--ink)" },
  ".cm-cursor, .cm-dropCursor": { borderLeftColor: "var(--ink)" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": {
    background: "color-mix(in srgb, var(--accent) 22%, transparent)",
  },
  ".cm-gutters": {
    backgroundColor: "var(--sunken)",
    color: "var(--ink-soft)",
    borderRight: "1px solid var(--line)",
  },
  ".cm-activeLine": { backgroundColor: "color-mix(in srgb, var(--ink) 4%, transparent)" },
  ".cm-activeLineGutter": { backgroundColor: "transparent", color: "var(--ink)" },
  "&.cm-focused .cm-matchingBracket": { backgroundColor: "var(--accent-soft)" },
  ".cm-selectionMatch": { backgroundColor: "var(--warning-soft)" },
  ".cm-foldPlaceholder": { background: "var(--sunken)", border: "1px solid var(--line)", color: "inherit" },
  ".cm-tooltip": {
    color: "var(--ink)",
    backgroundColor: "var(--surface)",
    border: "1px solid var(--line-strong)",
    borderRadius: "6px",
    boxShadow: "var(--shadow-raised)",
    maxWidth: "min(480px, 90vw)",
    overflow: "hidden",
  },
  ".cm-tooltip-hover p": { margin: "0", padding: "8px 10px", font: "var(--small)/1.5 var(--sans)" },
  ".cm-tooltip.cm-tooltip-autocomplete > ul": { fontFamily: "var(--mono)" },
  ".cm-tooltip.cm-tooltip-autocomplete > ul > li": { padding: "3px 8px" },
  ".cm-tooltip-autocomplete ul li[aria-selected]": {
    background: "var(--accent)",
    color: "var(--accent-ink)",
  },
  ".cm-completionInfo": { padding: "8px 10px", font: "var(--small)/1.5 var(--sans)" },
  ".cm-diagnostic": { padding: "8px 10px", font: "var(--small)/1.5 var(--sans)", whiteSpace: "pre-wrap" },
  ".cm-diagnostic-error": { borderLeft: "4px solid var(--danger)" },
  ".cm-diagnostic-warning": { borderLeft: "4px solid var(--warning)" },
  ".cm-diagnostic-info": { borderLeft: "4px solid var(--accent)" },
  ".cm-lint-marker-error": mark("--danger"),
  ".cm-lint-marker-warning": mark("--warning"),
  ".cm-lint-marker-info": mark("--accent"),
  ".cm-lintRange-error": wavy("--danger"),
  ".cm-lintRange-warning": wavy("--warning"),
  ".cm-lintRange-info": wavy("--accent"),
  "&.cm-editor .cm-deletedChunk, &.cm-merge-a .cm-changedLine": { backgroundColor: "var(--danger-soft)" },
  "&.cm-merge-b .cm-changedLine": { backgroundColor: "var(--good-soft)" },
  "&.cm-editor .cm-deletedChunk .cm-deletedText": {
    background: "none",
    textDecoration: "underline var(--danger)",
  },
  ".cm-collapsedLines": { color: "var(--ink-soft)", background: "var(--sunken)" },
  // Many fonts lack the symbol U+299A on both sides of the text.
  "&.cm-editor .cm-collapsedLines:before, &.cm-editor .cm-collapsedLines:after": { content: "none" },
  ".cm-panels": { color: "var(--ink)", backgroundColor: "var(--sunken)", borderColor: "var(--line)" },
  ".cm-panel.cm-search": { font: "var(--small)/1.5 var(--sans)" },
  ".cm-textfield, .cm-button": {
    color: "var(--ink)",
    background: "var(--surface)",
    border: "1px solid var(--line-strong)",
    borderRadius: "4px",
  },
  ".cm-panel ul [aria-selected]": { backgroundColor: "var(--accent-soft)" },
});

const COLORS = HighlightStyle.define([
  { tag: tags.propertyName, color: "var(--accent)" },
  { tag: tags.string, color: "var(--good)" },
  { tag: tags.number, color: "var(--warning)" },
  { tag: [tags.bool, tags.null], color: "var(--danger)" },
  { tag: tags.invalid, color: "var(--danger)" },
]);

/** Extensions of every editor: JSON in the console's design, with line numbers, folding and search. */
export function reading(label: string, isReadOnly: boolean): Extension {
  return [
    json(),
    THEME,
    syntaxHighlighting(COLORS),
    lineNumbers(),
    foldGutter(),
    drawSelection(),
    bracketMatching(),
    highlightSelectionMatches(),
    search({ top: true }),
    keymap.of(searchKeymap),
    EditorView.contentAttributes.of({
      "aria-label": label,
      "aria-readonly": String(isReadOnly),
      tabindex: "0",
    }),
  ];
}

function wavy(color: string) {
  return {
    backgroundImage: "none",
    textDecoration: `underline wavy var(${color})`,
    textUnderlineOffset: "3px",
  };
}

/** A dot in the gutter, at the size of the library's own pictures. */
function mark(color: string) {
  return { content: "none", borderRadius: "50%", backgroundColor: `var(${color})`, transform: "scale(0.6)" };
}
