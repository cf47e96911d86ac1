// @ts-check
import { mkdir, readdir, readFile, rename, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { preset } from "@graphql-codegen/client-preset";
import { codegen } from "@graphql-codegen/core";
import * as graphiql from "@graphql-yoga/render-graphiql/graphiql";
import { buildSchema, parse } from "graphql";

const operations = new URL("src/api/operations/", import.meta.url);
const target = fileURLToPath(new URL("src/api/generated/", import.meta.url));
/** The text of an operation in the generated code; it includes its fragments. */
const DOCUMENT = /Document = new TypedDocumentString\(`([^`]*)`/g;

/**
 * Writes typed documents for the operations of the console.
 * @returns their texts, as they are sent
 * @throws Error when an operation does not fit schema.graphql
 */
export async function generateOperations() {
  const sdl = await readFile(new URL("../schema.graphql", import.meta.url), "utf8");
  const names = (await readdir(operations)).toSorted();
  const documents = names.map(async (location) => {
    const rawSDL = await readFile(new URL(location, operations), "utf8");
    return { location, rawSDL, document: parse(rawSDL) };
  });
  const sections = await preset.buildGeneratesSection({
    baseOutputDir: target,
    schema: parse(sdl),
    schemaAst: buildSchema(sdl),
    documents: await Promise.all(documents),
    config: {
      documentMode: "string",
      useTypeImports: true,
      strictScalars: true,
      scalars: { DateTime: "string", JSON: "unknown", SafeInt: "number" },
    },
    presetConfig: { fragmentMasking: false },
    plugins: [],
    pluginMap: {},
  });
  // The other sections support documents that are embedded in code.
  const section = sections.find(({ filename }) => filename.endsWith("/graphql.ts"));
  if (!section) throw new Error("The code generator created no documents.");
  const code = await codegen(section);
  await write(`${target}operations.ts`, code);
  return [...code.matchAll(DOCUMENT)].map(([, text = ""]) => text);
}

/** Writes the files of GraphiQL, which its package has as strings. */
export async function writeGraphiql() {
  const folder = fileURLToPath(new URL("pages/generated/", import.meta.url));
  for (const [file, text] of Object.entries({
    "graphiql.js": withHistory(graphiql.js),
    "graphiql.css": graphiql.css,
    "editor-worker.js": graphiql.editorWorkerService,
    "json-worker.js": graphiql.jsonWorker,
    "graphql-worker.js": graphiql.graphqlWorker,
  }))
    await write(join(folder, file), text);
}

/**
 * Adds the history, which this build of GraphiQL has, to the plugins that it uses: version 5.24.1 has no option for it.
 * @param {string} code
 */
function withHistory(code) {
  const [, history] = /(?:\w+)===void 0\?\[(\w+)\]:\w+,/.exec(code) ?? [];
  const changed = code.replace(
    /plugins:\[(\w+)\],schemaDescription/,
    `plugins:[$1,${history}],schemaDescription`,
  );
  if (!history || changed === code) throw new Error("GraphiQL has changed: its history was not found.");
  return changed;
}

/**
 * Writes a file whole: another build may be reading it.
 * @param {string} path
 * @param {string} text
 */
async function write(path, text) {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(`${path}.${process.pid}`, text);
  await rename(`${path}.${process.pid}`, path);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await generateOperations();
