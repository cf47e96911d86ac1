import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import fastifyStatic from "@fastify/static";
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteHandlerMethod } from "fastify";
import { z } from "zod";
import { DomainError } from "../../domain/shared/errors.js";
import { type AllowedOrigins, isAllowedOrigin } from "../../graphql/server/sockets/allowed-origins.js";
import { DEMO_DATA_SOURCE } from "../../services/data-sources/demo-account.js";
import type { Services } from "../../services/services.js";
import { registerSessionRoutes, sessionOpener } from "../authentication/console-session.js";
import { registerSignInRoutes } from "../authentication/sign-in.js";
import { isDirectLocalRequest } from "./loopback.js";

export interface PagesOptions {
  /** Serve the playground at `/graphql` to browsers. */
  readonly playground: boolean;
  /** Serve the REST API reference at `/api/docs`. */
  readonly apiDocs: boolean;
  /** Serve the console at `/console/`. */
  readonly console: boolean;
  /** The page that the console opens with an embed session; undefined if there is none. */
  readonly previewUrl?: string | undefined;
  /** Origins of dashboard tools that the console may show in frames; none if omitted. */
  readonly frameOrigins?: readonly string[];
  /** Origins whose pages may call the API. */
  readonly corsOrigins: AllowedOrigins;
  /** Directory of the built pages. */
  readonly pagesDirectory: string;
  /** Directory of the built documentation site; undefined to disable it. */
  readonly docsDirectory: string | undefined;
  /** Returns the error of an unknown path. @param url of the request */
  readonly notFound: (url: string) => DomainError;
  /** Returns the API key that the playground and the console offer to clients on this machine, if any. */
  readonly demoKey: () => string | undefined;
}

type PageHandler = (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>;

/** Functions for other routes. */
interface PageHandlers {
  /** Answers requests for unknown paths. */
  readonly serveNotFound: PageHandler;
  /** Serves the playground; undefined if it is disabled. */
  readonly servePlayground: PageHandler | undefined;
  /** Authenticates a request of the console by its session. */
  readonly openSession: (request: FastifyRequest) => Promise<void> | undefined;
}

/** An HTML file with its Content-Security-Policy. */
interface Page {
  readonly html: string;
  readonly policy: string;
}

/** Permissions of a page beyond files of its own. */
interface PolicyExceptions {
  /** Editors and highlighted code set inline styles. */
  readonly inlineStyles?: boolean;
  /** The page has an element `<base>`. */
  readonly base?: boolean;
  /** The page shows other pages of this service in frames, and those of these origins. */
  readonly frames?: readonly string[];
  /** The page is shown in a frame of the console, without access to it or to its session. */
  readonly isFramed?: boolean;
}

const NOT_BUILT =
  "This page has not been built. Run `npm run build` in the service's directory, then reload the page.\n";
const DOCS_NOT_BUILT =
  "The documentation has not been built. Run `npm run docs:build` in the service's directory, then reload the page.\nThe same pages are Markdown files in the folder docs/ of the repository.\n";
const IMMUTABLE = "public, max-age=31536000, immutable";

/**
 * Registers the pages for browsers: the start page, the console, the documentation, the playground and the REST API reference.
 * `npm run build` writes them to one directory, in which their files have the paths of the pages (decision 26).
 */
export async function registerPages(
  app: FastifyInstance,
  services: Services,
  options: PagesOptions,
): Promise<PageHandlers> {
  const { pagesDirectory, docsDirectory } = options;
  const serve = (file: string, exceptions?: PolicyExceptions) => {
    const load = pageLoader(join(pagesDirectory, file), exceptions);
    return async (_request: FastifyRequest, reply: FastifyReply) => sendPage(reply, await load(), NOT_BUILT);
  };
  await app.register(fastifyStatic, {
    root: join(pagesDirectory, "assets"),
    prefix: "/assets/",
    preCompressed: true,
    decorateReply: false,
    suppressWarning: true,
    index: false,
    maxAge: "1y",
    immutable: true,
    // The preview has an opaque origin. The files are public.
    setHeaders: (reply) => void reply.header("access-control-allow-origin", "*"),
  });
  const serveStart = serve("index.html");
  app.get("/", (request, reply) =>
    acceptsHtml(request) ? serveStart(request, reply) : reply.callNotFound(),
  );
  registerPageData(app, options, services);
  if (options.apiDocs) app.get("/api/docs", serve("api/docs.html"));
  if (docsDirectory !== undefined) await registerDocs(app, docsDirectory);
  const servePlayground = serve("graphql.html", { inlineStyles: true });
  return {
    openSession: options.console
      ? registerConsole(app, services, {
          serveConsole: serve("console/index.html", { frames: options.frameOrigins ?? [] }),
          servePreview: serve("console/preview.html", { isFramed: true }),
        })
      : () => undefined,
    servePlayground: options.playground ? servePlayground : undefined,
    serveNotFound: notFoundHandler(join(pagesDirectory, "not-found.html"), options.notFound),
  };
}

/** Registers the data of the pages that is only known here. Clients on this machine also get the key of the demo account. */
function registerPageData(app: FastifyInstance, options: PagesOptions, { identityProvider }: Services): void {
  const { frameOrigins = [] } = options;
  const isServed = {
    console: options.console,
    playground: options.playground,
    "api-docs": options.apiDocs,
    docs: options.docsDirectory !== undefined,
  };
  const disabled = Object.entries(isServed).flatMap(([page, served]) => (served ? [] : [page]));
  app.get("/pages.json", async (request, reply) => {
    const apiKey = isDirectLocalRequest(request) ? options.demoKey() : undefined;
    // Other origins cannot embed it as a script.
    reply.header("cross-origin-resource-policy", "same-origin");
    // As a preflight would say, but to the console, which cannot send one for another origin.
    const origin = z.object({ origin: z.string() }).safeParse(request.query).data?.origin;
    return {
      disabled,
      ...(origin !== undefined && { is_allowed_origin: isAllowedOrigin(origin, options.corsOrigins) }),
      preview_url: options.previewUrl,
      ...(frameOrigins.length > 0 && { frame_origins: frameOrigins }),
      ...(identityProvider && { identity_provider: identityProvider.host }),
      ...(apiKey && { demo: { apiKey, dataSource: DEMO_DATA_SOURCE } }),
    };
  });
}

/**
 * Registers the console, a page that uses the GraphQL API (decision 43), and the routes of its session.
 * @returns the function that authenticates a GraphQL request of the console by its session
 */
function registerConsole(
  app: FastifyInstance,
  services: Services,
  { serveConsole, servePreview }: Readonly<Record<"serveConsole" | "servePreview", RouteHandlerMethod>>,
) {
  // Relative, because the service may be served below a path prefix of a proxy.
  app.get("/console", (_request, reply) => reply.redirect("console/"));
  app.get("/console/", serveConsole);
  app.get("/console/preview", servePreview);
  registerSessionRoutes(app, services);
  const { identityProvider } = services;
  if (identityProvider) registerSignInRoutes(app, services, identityProvider);
  return sessionOpener(services.consoleSessions);
}

/** Registers the documentation site below `/docs`, from the files that `npm run docs:build` writes. */
async function registerDocs(app: FastifyInstance, directory: string): Promise<void> {
  const exceptions = { inlineStyles: true };
  const loadStart = pageLoader(join(directory, "index.html"), exceptions);
  const loadNotFound = pageLoader(join(directory, "404.html"), exceptions);
  // Relative, because the service may be served below a path prefix of a proxy.
  app.get("/docs", (_request, reply) => reply.redirect("docs/"));
  await app.register(
    async (scope) => {
      // All pages have the same inline scripts.
      let policy = "";
      scope.addHook("onRequest", async (_request, reply) => {
        const start = await loadStart();
        if (!start) return sendPage(reply, start, DOCS_NOT_BUILT);
        policy = start.policy;
      });
      scope.setNotFoundHandler(async (_request, reply) =>
        sendPage(reply.code(404), await loadNotFound(), ""),
      );
      await scope.register(fastifyStatic, {
        preCompressed: true,
        serve: false,
        suppressWarning: true,
        root: directory,
        index: ["index.html"],
        setHeaders(reply, path) {
          const [folder = ""] = relative(directory, path).split(sep);
          if (/\.html(?:\.\w+)?$/.test(path)) reply.header("content-security-policy", policy);
          if (folder === "assets") reply.header("cache-control", IMMUTABLE);
          // Configuration and code of the repository, which documents link to, is for reading.
          if (folder === "files") reply.type("text/plain; charset=utf-8");
        },
      });
      scope.get<{ Params: { "*": string } }>("/*", (request, reply) => {
        const path = `/${request.params["*"]}`;
        // The extensions of @fastify/static would leave out compressed variants.
        return reply.sendFile(existsSync(join(directory, `${path}.html`)) ? `${path}.html` : path);
      });
    },
    { prefix: "/docs" },
  );
}

/** Creates the handler of unknown paths. It throws the error `not_found` for clients other than browsers. */
function notFoundHandler(file: string, notFound: PagesOptions["notFound"]) {
  const load = pageLoader(file, { base: true });
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const page = request.method === "GET" && acceptsHtml(request) ? await load() : undefined;
    if (!page) throw notFound(request.url);
    // The page's URLs are relative to the service's root.
    const [path = ""] = request.url.split("?");
    const root = "../".repeat(path.split("/").length - 2) || "./";
    const html = page.html.replace('<base href="./"', `<base href="${root}"`);
    return sendPage(reply.code(404), { ...page, html }, "");
  };
}

/** Reads the console's GraphQL documents by ID; empty if the console has not been built. */
export async function readConsoleDocuments(pagesDirectory: string): Promise<ReadonlyMap<string, string>> {
  const text = await readIfExists(join(pagesDirectory, "documents.json"));
  return new Map(Object.entries(z.record(z.string(), z.string()).parse(JSON.parse(text ?? "{}"))));
}

function sendPage(reply: FastifyReply, page: Page | undefined, notBuilt: string): FastifyReply {
  if (!page) return reply.code(503).type("text/plain; charset=utf-8").send(notBuilt);
  return reply
    .headers({
      "content-security-policy": page.policy,
      "referrer-policy": "no-referrer",
      // Other origins cannot access the window of a page that has the demo key.
      "cross-origin-opener-policy": "same-origin",
    })
    .type("text/html; charset=utf-8")
    .send(page.html);
}

/** @returns a function that loads a page once it has been built; until then, it returns undefined */
function pageLoader(file: string, exceptions: PolicyExceptions = {}): () => Promise<Page | undefined> {
  let page: Page | undefined;
  return async () => {
    const html = page ? undefined : await readIfExists(file);
    if (html !== undefined) page = { html, policy: policyOf(html, exceptions) };
    return page;
  };
}

/** The Content-Security-Policy of a page: only files of this service, and the inline scripts that the build wrote, by their hashes. */
function policyOf(html: string, { inlineStyles, base, frames, isFramed }: PolicyExceptions): string {
  const scripts = [...html.matchAll(/<script(?: id="[\w-]+")?>([\s\S]*?)<\/script>/g)];
  const hashes = scripts.map(
    ([, text = ""]) => ` 'sha256-${createHash("sha256").update(text).digest("base64")}'`,
  );
  return [
    "default-src 'none'",
    `script-src 'self'${hashes.join("")}`,
    `style-src 'self'${inlineStyles ? " 'unsafe-inline'" : ""}`,
    "img-src 'self' data:",
    "font-src 'self' data:",
    "worker-src 'self'",
    `connect-src ${isFramed ? "'none'" : "'self'"}`,
    ...(frames ? [["frame-src 'self'", ...frames].join(" ")] : []),
    `base-uri ${base ? "'self'" : "'none'"}`,
    "form-action 'none'",
    ...(isFramed ? ["sandbox allow-scripts", "frame-ancestors 'self'"] : ["frame-ancestors 'none'"]),
  ].join("; ");
}

/** Returns whether a browser opens the URL as a page. */
function acceptsHtml({ headers: { accept } }: FastifyRequest): boolean {
  return accept?.includes("text/html") === true;
}

async function readIfExists(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
}
