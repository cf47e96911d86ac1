import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Span, Tracing } from "../../telemetry/tracing.js";
import { methodLabel, routeLabel } from "./reply-metrics.js";
import { isProbe } from "./request-facts.js";

/** Traces each request as a span, as a child of the caller's span if the traceparent header is set. */
export function traceRequests(app: FastifyInstance, tracing: Tracing): void {
  app.addHook("onRequest", (request, reply, done) => {
    if (isProbe(request)) {
      done();
      return;
    }
    const method = methodLabel(request.method);
    const route = routeLabel(request.routeOptions.url);
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
    // Also fires if the client disconnects, and at the end of event streams.
    reply.raw.once("close", () => end(span, request, reply));
    span.run(done);
  });
  // Restore the span context, which is lost while Node reads the body.
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
  // By OpenTelemetry's conventions, client errors are not errors of a server span.
  if (statusCode >= 500) span.fail(String(statusCode));
  span.end();
}
