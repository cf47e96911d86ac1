import type { FastifyInstance } from "fastify";
import { isObject } from "../../domain/shared/json.js";

const GRAPHQL_MEDIA_TYPE = "application/graphql-response+json";

/** GraphQL over HTTP: says whether a client knows GraphQL's own media type, with which the status tells of errors. */
export function acceptsGraphqlMediaType(accept: string | undefined): boolean {
  return accept?.includes(GRAPHQL_MEDIA_TYPE) === true;
}

/**
 * Gives each error of a reply the request's id: those that arise before Apollo Server has made a context have none. Clients that
 * know GraphQL's media type do not look for errors in a failure that has another one.
 */
export function completeErrors(app: FastifyInstance): void {
  app.addHook("onSend", (request, reply, payload, done) => {
    if (reply.statusCode < 400 || typeof payload !== "string" || !payload.startsWith("{")) {
      done();
      return;
    }
    const { text, code } = complete(payload, request.id);
    request.errorCode ??= code;
    if (acceptsGraphqlMediaType(request.headers.accept)) reply.type(`${GRAPHQL_MEDIA_TYPE}; charset=utf-8`);
    reply.removeHeader("content-length");
    done(null, text);
  });
}

/** @returns the reply, and the code of its first error as the domain writes it */
function complete(
  text: string,
  requestId: string,
): { readonly text: string; readonly code: string | undefined } {
  const reply: unknown = JSON.parse(text);
  if (!isObject(reply) || !Array.isArray(reply["errors"])) return { text, code: undefined };
  const errors = reply["errors"].map((error: unknown) => {
    if (!isObject(error)) return error;
    const extensions = isObject(error["extensions"]) ? error["extensions"] : {};
    return { ...error, extensions: { ...extensions, requestId } };
  });
  const [first] = errors;
  const extensions = isObject(first) && isObject(first["extensions"]) ? first["extensions"] : {};
  const { code } = extensions;
  return {
    text: `${JSON.stringify({ ...reply, errors })}\n`,
    code: typeof code === "string" ? code.toLowerCase() : undefined,
  };
}
