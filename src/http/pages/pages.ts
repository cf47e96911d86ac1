import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { registerApiDocs } from "./api-docs.js";
import { registerConsole } from "./console.js";
import { registerDocsSite } from "./docs-site.js";
import { registerPlayground } from "./playground.js";

export interface PagesOptions {
  /** Serve the playground at `/graphql` to browsers. */
  readonly playground: boolean;
  /** Serve the REST API reference at `/api/docs`. */
  readonly apiDocs: boolean;
  /** Directory of the built playground and REST API page. */
  readonly pagesDirectory: string;
  /** Directory of the built console; undefined to disable it. */
  readonly consoleDirectory: string | undefined;
  /** Directory of the built documentation site; undefined to disable it. */
  readonly docsDirectory: string | undefined;
  /** Returns the API key that the playground and the console offer to clients on this machine, if any. */
  readonly demoKey: () => string | undefined;
}

/** The handler that the GraphQL route needs. */
interface GraphqlPages {
  /** Serves the playground; undefined if it is disabled. */
  readonly servePlayground: ((request: FastifyRequest, reply: FastifyReply) => Promise<void>) | undefined;
}

/** Registers the pages for browsers: the console, the documentation, the playground and the REST API reference. */
export function registerPages(app: FastifyInstance, options: PagesOptions): GraphqlPages {
  const { pagesDirectory, consoleDirectory, docsDirectory, demoKey } = options;
  if (options.apiDocs) registerApiDocs(app, pagesDirectory);
  if (docsDirectory !== undefined) registerDocsSite(app, docsDirectory);
  if (consoleDirectory !== undefined) registerConsole(app, consoleDirectory, demoKey);
  return {
    servePlayground: options.playground ? registerPlayground(app, pagesDirectory, demoKey) : undefined,
  };
}
