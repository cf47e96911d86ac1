import { type Completion, type CompletionSource, snippet } from "@codemirror/autocomplete";
import type { Text } from "@codemirror/state";
import type { HoverTooltipSource } from "@codemirror/view";
import {
  type CompletionItem,
  getLanguageService,
  type LanguageService,
  type MarkedString,
  type MarkupContent,
  TextDocument,
} from "vscode-json-languageservice";

/** Text before the cursor that starts completion without a shortcut: a word or an open string. */
const WORD = /"[^"\n]*$|[\w$-]+$/;
/** Text that keeps the list of completions open. */
const SAME_WORD = /^"?[\w$-]*"?$/;
/** Descriptions for hovering are escaped as Markdown. */
const MARKDOWN_ESCAPE = /\\([\\`*_{}[\]()#+\-.!])/g;
const URI = "file:///text.json";
const SCHEMA_URI = "file:///schema.json";

/** Completion and descriptions from a JSON Schema. */
export interface SchemaHelp {
  readonly complete: CompletionSource;
  readonly describe: HoverTooltipSource;
}

export function createSchemaHelp(schema: object): SchemaHelp {
  const service = getLanguageService({});
  service.configure({ schemas: [{ uri: SCHEMA_URI, fileMatch: ["*"], schema }] });
  return { complete: completionsOf(service), describe: descriptionsOf(service) };
}

function completionsOf(service: LanguageService): CompletionSource {
  return async (context) => {
    const { state, pos, explicit } = context;
    if (!explicit && !context.matchBefore(WORD)) return null;
    const document = toDocument(state.doc);
    const list = await service.doComplete(
      document,
      document.positionAt(pos),
      service.parseJSONDocument(document),
    );
    const [first] = list?.items.flatMap(rangeOf) ?? [];
    if (!list || !first) return null;
    const [from, end] = [document.offsetAt(first.start), document.offsetAt(first.end)];
    return {
      from,
      options: list.items.map((item) => toCompletion(item, end - pos)),
      validFor: SAME_WORD,
    };
  };
}

/** @param rest length of the text after the cursor that the completion replaces */
function toCompletion(item: CompletionItem, rest: number): Completion {
  const { label, filterText = label, detail, documentation, textEdit, insertText = label } = item;
  const template = toTemplate(textEdit?.newText ?? insertText);
  const info = textOf(documentation ?? "");
  return {
    label: filterText,
    displayLabel: label,
    ...(detail === undefined ? {} : { detail }),
    ...(info === "" ? {} : { info }),
    apply: (view, completion, from, to) =>
      snippet(template)(view, completion, from, Math.min(to + Math.max(rest, 0), view.state.doc.length)),
  };
}

/** Converts a snippet of the language server protocol to one of CodeMirror, whose placeholders always have braces. */
function toTemplate(text: string): string {
  return text.replace(/\\([$}\\])|\$(\d+)/g, (_, escaped: string | undefined, placeholder: string) =>
    escaped === undefined ? `\${${placeholder}}` : escaped,
  );
}

function descriptionsOf(service: LanguageService): HoverTooltipSource {
  return async ({ state: { doc } }, pos) => {
    const document = toDocument(doc);
    const parsed = service.parseJSONDocument(document);
    const hover = await service.doHover(document, document.positionAt(pos), parsed);
    const text = hover ? textOf(hover.contents).replace(MARKDOWN_ESCAPE, "$1") : "";
    if (!hover || text === "") return null;
    const dom = globalThis.document.createElement("p");
    dom.textContent = text;
    const { start, end } = hover.range ?? { start: undefined, end: undefined };
    return {
      pos: start ? document.offsetAt(start) : pos,
      ...(end ? { end: document.offsetAt(end) } : {}),
      create: () => ({ dom }),
    };
  };
}

function toDocument(doc: Text): TextDocument {
  return TextDocument.create(URI, "json", 0, doc.toString());
}

function rangeOf({ textEdit }: CompletionItem) {
  if (!textEdit) return [];
  return ["range" in textEdit ? textEdit.range : textEdit.replace];
}

function textOf(content: string | MarkupContent | MarkedString | readonly MarkedString[]): string {
  if (typeof content === "string") return content;
  return "value" in content ? content.value : content.map(textOf).join("\n");
}
