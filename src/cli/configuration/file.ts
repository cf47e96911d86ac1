import { readFile, realpath, stat } from "node:fs/promises";
import { dirname, resolve, sep } from "node:path";
import { validateSiteConfig } from "@user-groups/site-config";
import { formatChecks, printable } from "@user-groups/site-config/check-format";
import { Document, Lexer, Parser, parseDocument, visit } from "yaml";
import { isExactNumber } from "../../domain/shared/json-text.js";
import { OperatorError } from "../../domain/shared/operator-error.js";
import { type EnvironmentFile, type EnvironmentFileInput, environmentFile } from "./file-format.js";
import type { Wanted } from "./plan.js";

/** Maximum size of the file, and of each text that it refers to. */
const MAX_FILE_BYTES = 1024 * 1024;
/** Bounds the time of the YAML parser, which takes up to 20 µs for each. */
const MAX_TOKENS = 250_000;
/** Bounds its stack, which it needs for nested values. */
const MAX_DEPTH = 100;
/** Marks a scalar in the tokens: the next one is its text. */
const SCALAR = "\u001f";
/** The JSON Schema in the documentation that a service serves. */
const SCHEMA_PATH = "docs/files/docs/reference/environment-file.schema.json";

/**
 * Reads and validates a file in YAML, of which JSON is a part, and the texts of sites that it refers to.
 * @throws OperatorError with every invalid field
 */
export async function readEnvironmentFile(path: string): Promise<Wanted> {
  const value = parseYaml(await readText(path), path);
  const { data, error } = environmentFile.safeParse(value);
  if (!data) {
    const lines = error.issues.map((issue) => `${issue.path.join(".") || "The file"}: ${issue.message}`);
    throw new OperatorError(printable(`${path} is invalid. ${lines.slice(0, 20).join("; ")}`));
  }
  return {
    ...data,
    propertySchema: data.propertySchema && [data.propertySchema],
    sites: data.sites && (await readSites(path, data.sites)),
  };
}

async function readSites(path: string, sites: NonNullable<EnvironmentFile["sites"]>) {
  const folder = await realpath(dirname(path));
  const read: { name: string; isPublic: boolean; text: string }[] = [];
  for (const { name, isPublic, text, file } of sites) {
    const document = file === undefined ? (text ?? "") : await readText(await placeOf(folder, file));
    const report = validateSiteConfig(document);
    if (!report.valid)
      throw new OperatorError(
        formatChecks([{ file: `site ${JSON.stringify(name)}`, report }], "text").trimEnd(),
        { code: "invalid_site_config" },
      );
    read.push({ name, isPublic, text: document });
  }
  return read;
}

/** @throws OperatorError for a file outside of the folder, also by a link */
async function placeOf(folder: string, file: string): Promise<string> {
  const path = await realpath(resolve(folder, file)).catch(() => null);
  if (path?.startsWith(folder.endsWith(sep) ? folder : folder + sep)) return path;
  const problem = path === null ? "does not exist" : "is outside of the folder of the environment's file";
  throw new OperatorError(printable(`The site's file ${JSON.stringify(file)} ${problem}.`));
}

async function readText(path: string): Promise<string> {
  const refusal = (reason: string) => new OperatorError(printable(`Cannot read ${path}: ${reason}.`));
  const found = await stat(path).catch(() => null);
  if (!found?.isFile()) throw refusal(found ? "it is not a regular file" : "it does not exist");
  if (found.size > MAX_FILE_BYTES) throw refusal(`it has more than ${MAX_FILE_BYTES} bytes`);
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(await readFile(path));
  } catch (error) {
    throw refusal(error instanceof TypeError ? "it is not valid UTF-8 text" : String(error));
  }
}

/** Parses YAML without anchors, aliases and tags, which could stand for more than the file contains. @throws OperatorError */
function parseYaml(text: string, path: string): unknown {
  const refusal = (reason: string) => new OperatorError(printable(`${path} is invalid: ${reason}`));
  const reason = findExcess(text);
  if (reason !== null) throw refusal(reason);
  const document = parseDocument(text, { uniqueKeys: false, prettyErrors: true });
  const [problem] = [...document.errors, ...document.warnings];
  if (problem) throw refusal(problem.message.split("\n")[0] ?? "");
  visit(document, {
    Map(_, { items }) {
      const keys = new Set<string>();
      for (const key of items.map(({ key }) => String(key))) {
        if (keys.has(key)) throw refusal(`The key ${JSON.stringify(key)} is repeated.`);
        // What parses the value afterwards would leave it out.
        if (key === "__proto__") throw refusal("The key __proto__ is not allowed.");
        keys.add(key);
      }
    },
    Scalar(_, { value, source = "" }) {
      if (typeof value === "number" && !(Number.isFinite(value) && isExactNumber(source)))
        throw refusal(`The number ${source} is not kept by a 64-bit float. Write it as a text.`);
    },
  });
  return document.toJS({ maxAliasCount: 0 });
}

/** Returns why a text is not parsed, or null: read token by token, which takes neither much time nor the stack. */
function findExcess(text: string): string | null {
  const parser = new Parser();
  let count = 0;
  let last = "";
  for (const token of new Lexer().lex(text)) {
    if (last !== SCALAR && /^[&*!]/.test(token)) return "Anchors, aliases and tags are not allowed.";
    last = token;
    count += 1;
    if (count > MAX_TOKENS) return "It has too many values.";
    for (const _ of parser.next(token));
    if (parser.stack.length > MAX_DEPTH) return `It is nested more than ${MAX_DEPTH} levels deep.`;
  }
  return null;
}

/** Formats a file as YAML. @param url of the service, whose documentation has the JSON Schema */
export function formatEnvironmentFile(file: EnvironmentFileInput, url: string): string {
  const document = new Document(file);
  document.commentBefore = ` yaml-language-server: $schema=${schemaUrl(url)}`;
  visit(document, {
    Scalar(_, node) {
      // Blocks of text would lose these characters, and white space at the end of a line.
      if (typeof node.value === "string" && /[^\n\t\P{Cc}]|[\u2028\u2029\ufeff]|[ \t]$/mu.test(node.value))
        node.type = "QUOTE_DOUBLE";
    },
  });
  return document.toString({ lineWidth: 0 });
}

export function schemaUrl(url: string): string {
  return new URL(SCHEMA_PATH, url.endsWith("/") ? url : `${url}/`).href;
}
