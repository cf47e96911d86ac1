import { randomUUID } from "node:crypto";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { preset } from "@graphql-codegen/client-preset";
import { codegen } from "@graphql-codegen/core";
import { buildSchema, parse } from "graphql";
import { rolldown } from "rolldown";
import { snippetsOf } from "../../support/repository/doc-snippets.js";

const schemaFile = new URL("../../../schema.graphql", import.meta.url);

/** Generates typed documents as the CLI of graphql-codegen does with its client preset. */
async function generateTypes(
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

const project = fileURLToPath(new URL("../../..", import.meta.url));
const VIEWER = join(project, "clients/typescript/src/browser.ts");
const CONFIG = {
  compilerOptions: {
    target: "es2023",
    lib: ["es2023", "dom"],
    module: "esnext",
    moduleResolution: "bundler",
    types: [],
    strict: true,
    skipLibCheck: true,
    verbatimModuleSyntax: true,
    noEmit: true,
    paths: { "@user-groups/client/browser": [VIEWER] },
  },
};

/** A front end's project made of the snippets of docs/front-ends.md. */
export interface GuideProject {
  readonly directory: string;
  /** Bundles a module of the project for a browser, as development tools do. @param code its text @returns the text of the bundle */
  bundle(code: string): Promise<string>;
  remove(): Promise<void>;
}

/** Writes the snippets to a directory, with the types that the guide's configuration generates. */
export async function createGuideProject(): Promise<GuideProject> {
  // Below the packages of the tests and those of the root.
  const parent = join(project, "test/operations/dist");
  await mkdir(parent, { recursive: true });
  const directory = await mkdtemp(join(parent, "guide-"));
  await writeFile(join(directory, "package.json"), '{ "type": "module" }');
  await writeFile(join(directory, "tsconfig.json"), JSON.stringify(CONFIG));
  const files = guideFiles();
  for (const [file, code] of files) await writeFile(join(directory, file), code);
  const documents = [...(files.get("documents.ts") ?? "").matchAll(/graphql\(`([^`]*)`\)/g)];
  await generateTypes(
    join(directory, "gql"),
    documents.map(([, document = ""]) => document),
    guideConfiguration(),
  );
  return {
    directory,
    async bundle(code) {
      const input = join(directory, `${randomUUID()}.ts`);
      await writeFile(input, code);
      const bundled = await rolldown({
        input,
        platform: "browser",
        resolve: { alias: { "@user-groups/client/browser": VIEWER } },
        transform: { define: { "process.env.NODE_ENV": '"development"' } },
        logLevel: "silent",
      });
      const { output } = await bundled.generate({ format: "esm" });
      return output[0].code;
    },
    remove: () => rm(directory, { recursive: true }),
  };
}

/** Returns the guide's configuration of graphql-codegen's client preset. */
function guideConfiguration(): Readonly<Record<string, unknown>> {
  const { generates } = JSON.parse(guideFiles().get("codegen.json") ?? "");
  return generates["src/gql/"].config;
}

function guideFiles(): ReadonlyMap<string, string> {
  return new Map(snippetsOf("docs/front-ends.md").map(({ file = "", code }) => [file, code]));
}
