import { findNearest } from "@user-groups/site-config/near-name";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { DomainError } from "../domain/shared/errors.js";
import type { Services } from "../services/services.js";
import {
  EMBED_SESSION_OPERATIONS,
  EMBED_SESSION_PATH,
  KEY_SET_OPERATIONS,
  KEY_SET_PATH,
} from "./embed-sessions.js";
import { type RestPath, registerOperations } from "./operations.js";
import { SITE_CONFIG_PATHS } from "./site-configs.js";
import { TEMPLATE_SESSION_PATHS } from "./template-sessions.js";
import { USER_GROUP_LIST_OPERATIONS, USER_GROUPS_PATH } from "./user-group-list.js";
import { USER_OPERATIONS, USER_PATH } from "./user-groups.js";

const MAX_NEAR_PATH = 100;

const TAG = "User groups";

/** All paths of the REST API, in the order of the OpenAPI document. */
export const REST_PATHS: readonly RestPath[] = [
  { path: USER_PATH, tag: TAG, operations: USER_OPERATIONS },
  { path: USER_GROUPS_PATH, tag: TAG, operations: USER_GROUP_LIST_OPERATIONS },
  { path: EMBED_SESSION_PATH, tag: TAG, operations: EMBED_SESSION_OPERATIONS },
  ...TEMPLATE_SESSION_PATHS,
  { path: KEY_SET_PATH, tag: TAG, operations: KEY_SET_OPERATIONS },
  ...SITE_CONFIG_PATHS,
];

/** Registers the REST API. The app must accept GET requests with a body. */
export function registerRestRoutes(app: FastifyInstance, services: Services): void {
  for (const path of REST_PATHS) registerOperations(app, services, path);
}

interface RecordedRoutes {
  /** Responds to the other methods of every path with 405 and an Allow header, once all routes are registered. */
  rejectOtherMethods(): void;
  /** Returns the error of an unknown path, which names a known path that is near. @param url of the request */
  notFound(url: string): DomainError;
}

/** Records the routes that are registered from now on. */
export function recordRoutes(app: FastifyInstance): RecordedRoutes {
  const methodsByUrl = new Map<string, string[]>();
  app.addHook("onRoute", ({ url, method }) => {
    methodsByUrl.set(url, [...(methodsByUrl.get(url) ?? []), method].flat());
  });
  return {
    rejectOtherMethods() {
      const routes = [...methodsByUrl];
      for (const [url] of routes) {
        // `/site-config/:site` also serves `/site-config/validate`.
        const allowed = routes.filter(([pattern]) => matches(pattern, url)).flatMap(([, methods]) => methods);
        rejectMethods(app, url, [...new Set(allowed)]);
      }
    },
    notFound: (url) => notFound(nearestPath(url, [...methodsByUrl.keys()])),
  };
}

/** Creates the error of an unknown path. @param nearest a known path */
export function notFound(nearest: string | null = null): DomainError {
  const hint = nearest === null ? "" : ` Did you mean ${nearest}?`;
  return new DomainError("not_found", `There is nothing at this path.${hint}`);
}

/**
 * Finds a known path that is near the path or one of its parents: `/api/user` for `/api/user/acme` and `/api/user-groups`. Otherwise one that
 * begins with the path or ends nearly as it does: `/api/user` for `/api` and `/users`.
 */
function nearestPath(url: string, patterns: readonly string[]): string | null {
  const path = url.replace(/\/?(?:\?.*)?$/, "");
  // A long path is not near any.
  if (path === "" || path.length > MAX_NEAR_PATH) return null;
  // The first pattern of those that differ in the last slash, as later ones are replaced.
  const known = new Map(
    patterns
      .toReversed()
      .map((pattern) => [
        pattern.replace(/\/[:*].*|\/$/, ""),
        pattern.replaceAll(/:(\w+)/g, "{$1}").replace("*", ""),
      ]),
  );
  known.delete("");
  const paths = [...known.keys()];
  let nearest: string | null = null;
  for (let parent = path; parent !== "" && nearest === null; parent = parent.replace(/[/._-]?[^/._-]*$/, ""))
    nearest = findNearest(parent, paths);
  nearest ??= paths.findLast((each) => each.startsWith(`${path.toLowerCase()}/`)) ?? null;
  const ends = new Map(paths.map((each) => [each.slice(each.lastIndexOf("/")), each]));
  nearest ??= ends.get(findNearest(path.slice(path.lastIndexOf("/")), ends.keys()) ?? "") ?? null;
  return nearest === null ? null : (known.get(nearest) ?? null);
}

function matches(pattern: string, url: string): boolean {
  const source = pattern.replaceAll(/[.+?]/g, "\\$&").replaceAll(/:\w+/g, "[^/]+").replaceAll("*", ".*");
  return new RegExp(`^${source}$`).test(url);
}

function rejectMethods(app: FastifyInstance, url: string, methods: readonly string[]): void {
  const allowed = methods.join(", ");
  const reject = async (request: FastifyRequest, reply: FastifyReply): Promise<never> => {
    reply.header("allow", allowed);
    throw new DomainError(
      "method_not_allowed",
      `${request.method} is not allowed on this path. Use ${allowed}.`,
    );
  };
  app.route({
    method: app.supportedMethods.filter((method) => !methods.includes(method)),
    url,
    // Reject before the body is read.
    onRequest: reject,
    handler: reject,
  });
}
