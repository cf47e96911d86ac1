import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { parseSync, Visitor } from "oxc-parser";

const root = fileURLToPath(new URL("../../..", import.meta.url));

export interface SourceFile {
  readonly path: string;
  readonly text: string;
  readonly imports: readonly string[];
  readonly packages: readonly string[];
  readonly faults: readonly string[];
}

export function listFiles(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => /\.tsx?$/.test(name) && !/generated\/|node_modules\//.test(name))
    .map((name) => join(folder, name));
}

export function readSource(path: string): SourceFile {
  const text = readFileSync(join(root, path), "utf8");
  const { specifiers, faults } = inspect(path, text);
  const imports = specifiers
    .filter((specifier) => specifier.startsWith("."))
    .map((specifier) => sourceOf(relative(root, normalize(join(root, dirname(path), specifier)))));
  const packages = specifiers.filter((specifier) => !specifier.startsWith("."));
  return { path, text, imports, packages, faults };
}

/** Resolves an import to its source file. */
function sourceOf(path: string): string {
  const source = path.replace(/\.js$/, ".ts");
  return source.startsWith("console/") && existsSync(join(root, `${source}x`)) ? `${source}x` : source;
}

export function inspect(path: string, text: string): { specifiers: string[]; faults: string[] } {
  const specifiers: string[] = [];
  const faults: string[] = [];
  const { program, errors } = parseSync(path, text);
  if (errors.length > 0) throw new Error(`${path} does not parse: ${errors[0]?.message}`);
  new Visitor({
    ImportDeclaration: ({ source }) => void specifiers.push(source.value),
    ExportNamedDeclaration: ({ source }) => void (source && specifiers.push(source.value)),
    ExportAllDeclaration: ({ source }) => void specifiers.push(source.value),
    ImportExpression: ({ source }) =>
      void (source.type === "Literal" && specifiers.push(String(source.value))),
    TSAsExpression: ({ typeAnnotation }) => {
      if (text.slice(typeAnnotation.start, typeAnnotation.end) !== "const") faults.push("asserts a type");
    },
    TSTypeAssertion: () => void faults.push("asserts a type"),
  }).visit(program);
  return { specifiers, faults };
}
