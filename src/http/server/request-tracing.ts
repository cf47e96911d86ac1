import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Span, Tracing } from "../../telemetry/tracing.js";
import { knownMethod, routeOf } from "./reply-metrics.js";
import { isProbe } from "./request-facts.js";

/** Has each request be a span, below that of its caller where the header traceparent names one. */
export function traceRequests(app: FastifyInstance, tracing: Tracing): void {
  app.addHook("onRequest", (request, reply, done) => {
    if (isProbe(request)) {
      done();
      return;
    }
    const method = knownMethod(request.method);
    const route = routeOf(request.routeOptions.url);
    const { traceparent } = request.headers;
    const span = tracing.begin(`${method} ${route}`, {
      kind: "server",
      parent: { traceparent: typeof traceparent === "string" ? traceparent : undefined },
      attributes: {
        "http.request.method": method,
        "http.route": route,
        "user_groups.request_id": request.id,
      },
    });
    request.span = span;
    // Also where the client has gone, and where events are streamed.
    reply.raw.once("close", () => end(span, request, reply));
    span.run(done);
  });
  // Node reads bodies outside of what the hooks before have begun.
  app.addHook("preValidation", (request, _reply, done) => {
    if (request.span) request.span.run(done);
    else done();
  });
}

function end(span: Span, { tenant, errorCode }: FastifyRequest, { raw, statusCode }: FastifyReply): void {
  if (tenant) {
    span.set({
      "user_groups.account_id": tenant.accountId,
      "user_groups.environment": tenant.environment,
    });
  }
  if (raw.headersSent) span.set({ "http.response.status_code": raw.statusCode });
  if (errorCode !== undefined) span.set({ "user_groups.error_code": errorCode });
  // By OpenTelemetry's conventions, what is the caller's fault is no error of a server.
  if (statusCode >= 500) span.fail(String(statusCode));
  span.end();
}
