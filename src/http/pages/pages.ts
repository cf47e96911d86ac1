import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Services } from "../../services/services.js";
import { registerApiDocs } from "./api-docs.js";
import { registerConsole } from "./console.js";
import { registerDocsSite } from "./docs-site.js";
import { registerLandingPage } from "./landing.js";
import { registerNotFoundPage } from "./not-found.js";
import { registerPlayground } from "./playground.js";
import type { SitePage } from "./site-header.js";

export interface PagesOptions {
  /** Serve the playground at `/graphql` to browsers. */
  readonly playground: boolean;
  /** Serve the REST API reference at `/api/docs`. */
  readonly apiDocs: boolean;
  /** Directory of the built landing page, playground and REST API page. */
  readonly pagesDirectory: string;
  /** Directory of the built console; undefined to disable it. */
  readonly consoleDirectory: string | undefined;
  /** Directory of the built documentation site; undefined to disable it. */
  readonly docsDirectory: string | undefined;
  /** Returns the API key that the playground and the console offer to clients on this machine, if any. */
  readonly demoKey: () => string | undefined;
}

/** Functions for other routes. */
interface PageHandlers {
  /** Answers requests for unknown paths. */
  readonly serveNotFound: (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>;
  /** Serves the playground; undefined if it is disabled. */
  readonly servePlayground: ((request: FastifyRequest, reply: FastifyReply) => Promise<void>) | undefined;
  /** Authenticates a request of the console by its session. */
  readonly openSession: (request: FastifyRequest) => Promise<void> | undefined;
}

/** Registers the pages for browsers: the landing page, the console, the documentation, the playground and the REST API reference. */
export function registerPages(app: FastifyInstance, services: Services, options: PagesOptions): PageHandlers {
  const { pagesDirectory, docsDirectory, demoKey } = options;
  const disabled = disabledPages(options);
  registerLandingPage(app, pagesDirectory, disabled);
  if (options.apiDocs) registerApiDocs(app, pagesDirectory, disabled);
  if (docsDirectory !== undefined) registerDocsSite(app, docsDirectory);
  return {
    serveNotFound: registerNotFoundPage(app, pagesDirectory, disabled),
    openSession: registerConsole(app, services, { ...options, disabled }),
    servePlayground: options.playground
      ? registerPlayground(app, pagesDirectory, demoKey, disabled)
      : undefined,
  };
}

function disabledPages({
  playground,
  apiDocs,
  consoleDirectory,
  docsDirectory,
}: PagesOptions): readonly SitePage[] {
  const isEnabled: Readonly<Record<SitePage, boolean>> = {
    console: consoleDirectory !== undefined,
    playground,
    "api-docs": apiDocs,
    docs: docsDirectory !== undefined,
  };
  const pages: readonly SitePage[] = ["console", "playground", "api-docs", "docs"];
  return pages.filter((page) => !isEnabled[page]);
}
