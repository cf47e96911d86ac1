import { readdirSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { readDocument, snippetsOf } from "../../support/repository/doc-snippets.js";

const files = readdirSync(new URL("../../../docs/integrations/", import.meta.url));
const namesOf = (extension: string) =>
  files.filter((file) => file.endsWith(extension)).map((file) => file.slice(0, -extension.length));
const tools = namesOf(".json");

const HEADINGS = [
  "What you get",
  "Settings of the tool",
  "The template",
  "Code",
  "Check it",
  "What does not work",
  "How this was checked",
];
const MAX_WORDS = 700;

test("each tool has a preset and a page, and its place in the table", () => {
  expect(namesOf(".md")).toEqual(tools);
  const rows = [...readDocument("docs/integrations.md").matchAll(/^\| \[\w+\]\(integrations\/(\w+)\.md\)/gm)];
  expect(rows.map(([, name]) => name)).toEqual(tools);
});

describe.each(tools)("%s", (tool) => {
  const page = `docs/integrations/${tool}.md`;

  test("has the headings of the other pages, and at most 700 words", () => {
    const text = readDocument(page);
    expect([...text.matchAll(/^## (.*)$/gm)].map(([, heading]) => heading)).toEqual(HEADINGS);
    expect(text.split(/\s+/).length).toBeLessThanOrEqual(MAX_WORDS);
  });

  test("shows the preset, with a name", () => {
    const [preset] = snippetsOf(page).filter(({ code }) => code.startsWith('{\n  "name"'));
    const expected = { name: tool, ...JSON.parse(readDocument(`docs/integrations/${tool}.json`)) };
    expect(JSON.parse(preset?.code ?? "")).toEqual(expected);
  });

  test("shows the call of its template", () => {
    const code = snippetsOf(page).map((snippet) => snippet.code);
    expect(code.filter((each) => each.includes(`/api/embed-session/${tool} `))).toHaveLength(1);
    expect(code.filter((each) => each.includes(`template: "${tool}"`))).toHaveLength(1);
  });
});
