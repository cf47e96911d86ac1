import {
  context,
  propagation,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  type Tracer,
  trace,
} from "@opentelemetry/api";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { markFailed } from "../../telemetry/tracing.js";
import { methodLabel, routeLabel } from "./reply-metrics.js";
import { isProbe } from "./request-facts.js";

/** Traces each request as a span, as a child of the caller's span if the traceparent header is set. */
export function traceRequests(app: FastifyInstance, tracing: Tracer): void {
  app.addHook("onRequest", (request, reply, done) => {
    if (isProbe(request)) {
      done();
      return;
    }
    const method = methodLabel(request.method);
    const route = routeLabel(request.routeOptions.url);
    const attributes = {
      "http.request.method": method,
      "http.route": route,
      "user_groups.request_id": request.id,
    };
    const { traceparent } = request.headers;
    const parent = propagation.extract(ROOT_CONTEXT, { traceparent });
    const span = tracing.startSpan(`${method} ${route}`, { kind: SpanKind.SERVER, attributes }, parent);
    request.span = span;
    // Also fires if the client disconnects, and at the end of event streams.
    reply.raw.once("close", () => end(span, request, reply));
    runIn(span, done);
  });
  // Restore the span context, which is lost while Node reads the body.
  app.addHook("preValidation", (request, _reply, done) => {
    if (request.span) runIn(request.span, done);
    else done();
  });
}

function runIn(span: Span, work: () => void): void {
  context.with(trace.setSpan(context.active(), span), work);
}

function end(span: Span, { tenant, errorCode }: FastifyRequest, { raw, statusCode }: FastifyReply): void {
  if (tenant) {
    span.setAttributes({
      "user_groups.account_id": tenant.accountId,
      "user_groups.environment": tenant.environment,
    });
  }
  if (raw.headersSent) span.setAttribute("http.response.status_code", raw.statusCode);
  if (errorCode !== undefined) span.setAttribute("user_groups.error_code", errorCode);
  // By OpenTelemetry's conventions, client errors are not errors of a server span.
  if (statusCode >= 500) markFailed(span, String(statusCode));
  span.end();
}
