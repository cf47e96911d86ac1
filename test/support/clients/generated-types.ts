import { mkdir, readFile, writeFile } from "node:fs/promises";
import { preset } from "@graphql-codegen/client-preset";
import { codegen } from "@graphql-codegen/core";
import { buildSchema, parse } from "graphql";

const schemaFile = new URL("../../../schema.graphql", import.meta.url);

/** Generates typed documents as the CLI of graphql-codegen does with its client preset. */
export async function generateTypes(
  target: string,
  documents: readonly string[],
  config: Readonly<Record<string, unknown>>,
): Promise<void> {
  const sdl = await readFile(schemaFile, "utf8");
  const sections = await preset.buildGeneratesSection({
    baseOutputDir: `${target}/`,
    schema: parse(sdl),
    schemaAst: buildSchema(sdl),
    documents: documents.map((rawSDL, index) => ({ location: `${index}`, document: parse(rawSDL), rawSDL })),
    config,
    presetConfig: {},
    plugins: [],
    pluginMap: {},
  });
  await mkdir(target);
  for (const section of sections) await writeFile(section.filename, await codegen(section));
}
