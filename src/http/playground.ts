import { createHash } from "node:crypto";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";

interface Assets {
  readonly page: string;
  readonly files: ReadonlyMap<string, { readonly type: string; readonly content: string }>;
}

const FOREVER = "public, max-age=31536000, immutable";
const SCRIPT = "text/javascript; charset=utf-8";
// The editor styles its own elements and starts its workers from our files; nothing comes from another host.
const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self' data:",
  "worker-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");
// A worker obeys the policy of its own file: ours get their work from the page and load nothing.
const ASSET_POLICY = "default-src 'none'";

const FIRST_QUERY = `# Uncomment the header below and
# put your API key there first.
query Viewer {
  viewer {
    accountName
    environment
    scope
  }
}
`;

// A comment, because a key that is not valid is refused even where none is needed: for the schema.
const FIRST_HEADERS = `{
  // "Authorization": "Token <API_KEY>"
}`;

/** Registers the files of the GraphQL playground. @returns what answers with its page, for the route of the API itself */
export function registerPlayground(
  app: FastifyInstance,
): (request: FastifyRequest, reply: FastifyReply) => Promise<void> {
  let assets: Promise<Assets> | undefined;
  const load = () => {
    assets ??= loadAssets();
    return assets;
  };
  app.get<{ Params: { file: string } }>("/graphql/assets/:file", async (request, reply) => {
    const file = (await load()).files.get(request.params.file);
    if (!file) return reply.callNotFound();
    return reply
      .header("cache-control", FOREVER)
      .header("content-security-policy", ASSET_POLICY)
      .header("x-content-type-options", "nosniff")
      .type(file.type)
      .send(file.content);
  });
  return async (_request, reply) => {
    const { page } = await load();
    await reply
      .header("content-security-policy", PAGE_POLICY)
      .header("x-content-type-options", "nosniff")
      .header("referrer-policy", "no-referrer")
      .type("text/html; charset=utf-8")
      .send(page);
  };
}

async function loadAssets(): Promise<Assets> {
  // Nine megabytes, loaded when somebody first opens the page.
  const graphiql = await import("@graphql-yoga/render-graphiql/graphiql");
  const files = new Map<string, { type: string; content: string }>();
  const add = (name: string, extension: string, type: string, content: string) => {
    const hash = createHash("sha256").update(content).digest("hex").slice(0, 12);
    const file = `${name}-${hash}.${extension}`;
    files.set(file, { type, content });
    return file;
  };
  const style = add("graphiql", "css", "text/css; charset=utf-8", graphiql.css);
  const script = add("graphiql", "js", SCRIPT, graphiql.js);
  const workers = {
    editorWorkerService: add("editor-worker", "js", SCRIPT, graphiql.editorWorkerService),
    json: add("json-worker", "js", SCRIPT, graphiql.jsonWorker),
    graphql: add("graphql-worker", "js", SCRIPT, graphiql.graphqlWorker),
  };
  const start = add("start", "js", SCRIPT, startScript(workers));
  return { files, page: renderPage({ style, script, start }) };
}

function startScript(workers: Readonly<Record<string, string>>): string {
  const options = {
    title: "User groups",
    defaultQuery: FIRST_QUERY,
    defaultHeaders: FIRST_HEADERS,
    // API keys stay out of the browser's storage.
    shouldPersistHeaders: false,
  };
  // GraphiQL forgets a default query on reload unless the query is named, and by itself copies the query to the
  // page's address, where the tokens in it would reach logs.
  return `
const workers = ${JSON.stringify(workers)};
const assets = new URL(".", document.currentScript.src);
self.MonacoEnvironment = {
  globalAPI: false,
  getWorkerUrl: (_module, label) => new URL(workers[label] ?? workers.editorWorkerService, assets).href,
};
addEventListener("DOMContentLoaded", () => {
  const options = ${JSON.stringify(options)};
  options.query = localStorage.getItem("graphiql:query") ?? options.defaultQuery;
  options.onEditQuery = () => {};
  YogaGraphiQL.renderYogaGraphiQL(document.querySelector("#root"), options);
});
`;
}

function renderPage(files: {
  readonly style: string;
  readonly script: string;
  readonly start: string;
}): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>User groups: GraphQL playground</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="graphql/assets/${files.style}">
<script src="graphql/assets/${files.start}" defer></script>
<script src="graphql/assets/${files.script}" defer></script>
</head>
<body class="no-focus-outline">
<noscript>The playground needs JavaScript.</noscript>
<div id="root"></div>
</body>
</html>
`;
}
