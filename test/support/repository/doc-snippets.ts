import { readdirSync, readFileSync } from "node:fs";

const root = new URL("../../../", import.meta.url);

/** A code block in a document. */
export interface Snippet {
  readonly document: string;
  readonly line: number;
  /** Its language; empty for plain text. */
  readonly language: string;
  readonly code: string;
  /** Its file name, if the line before is of the form `name`: */
  readonly file: string | undefined;
  /** Why it is not run, from a comment before it: `<!-- not run: … -->`. */
  readonly notRun: string | undefined;
}

/** The documents for users: the README and the guides. */
export function userDocuments(): readonly string[] {
  const guides = readdirSync(new URL("docs/", root)).filter((name) => name.endsWith(".md"));
  return [
    "README.md",
    "CONTRIBUTING.md",
    "SECURITY.md",
    "CHANGELOG.md",
    ...guides.map((name) => `docs/${name}`),
  ];
}

export function readDocument(document: string): string {
  return readFileSync(new URL(document, root), "utf8");
}

/** The fenced code blocks of a document, in order. */
export function snippetsOf(document: string): readonly Snippet[] {
  const text = readDocument(document);
  const fences = text.matchAll(
    /^(?:`([\w.-]+)`.*:\n\n)?(?:<!-- not run: (.*?) -->\n)?```(\w*)\n([\s\S]*?)^```$/gm,
  );
  return [...fences].map((match) => {
    const [, file, notRun, language = "", code = ""] = match;
    const line = text.slice(0, match.index).split("\n").length;
    return { document, line, language, code, file, notRun };
  });
}
