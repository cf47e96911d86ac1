import { createHash } from "node:crypto";
import { type PageFiles, startScript } from "./playground-page.js";
import { type Asset, makeAsset } from "./static-asset.js";

const SCRIPT = "text/javascript; charset=utf-8";
const STYLE = "text/css; charset=utf-8";
// A tab that is pressed would jump aside, and the click miss it.
const TABS_STAY = ".graphiql-tab{transform:none!important}";

export interface Assets {
  readonly page: PageFiles;
  /** By their names, which a change of the content changes. */
  readonly files: ReadonlyMap<string, Asset>;
}

/** Loads the playground: nine megabytes, some two of them zipped. */
export async function loadAssets(): Promise<Assets> {
  const graphiql = await import("@graphql-yoga/render-graphiql/graphiql");
  const files = new Map<string, Asset>();
  const add = async (name: string, extension: string, type: string, content: string) => {
    const hash = createHash("sha256").update(content).digest("hex").slice(0, 12);
    const file = `${name}-${hash}.${extension}`;
    files.set(file, await makeAsset(type, content));
    return file;
  };
  const [style, script, editorWorkerService, json, graphql] = await Promise.all([
    add("graphiql", "css", STYLE, graphiql.css + TABS_STAY),
    add("graphiql", "js", SCRIPT, graphiql.js),
    add("editor-worker", "js", SCRIPT, graphiql.editorWorkerService),
    add("json-worker", "js", SCRIPT, graphiql.jsonWorker),
    add("graphql-worker", "js", SCRIPT, graphiql.graphqlWorker),
  ]);
  const start = await add("start", "js", SCRIPT, startScript({ editorWorkerService, json, graphql }));
  return { files, page: { style, script, start } };
}
