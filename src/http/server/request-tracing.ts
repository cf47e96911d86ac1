import {
  context,
  propagation,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  type Tracer,
  trace,
} from "@opentelemetry/api";
import type { FastifyReply, FastifyRequest } from "fastify";
import { labelsOf } from "../../telemetry/metrics.js";
import { markFailed } from "../../telemetry/tracing.js";

/** Traces a request as a span, as a child of the caller's span if the traceparent header is set. */
export function traceRequest(
  tracing: Tracer,
  request: FastifyRequest,
  reply: FastifyReply,
  proceed: () => void,
): void {
  const { method, route } = labelsOf(request);
  const attributes = {
    "http.request.method": method,
    "http.route": route,
    "user_groups.request_id": request.id,
  };
  const parent = propagation.extract(ROOT_CONTEXT, { traceparent: request.headers["traceparent"] });
  const span = tracing.startSpan(`${method} ${route}`, { kind: SpanKind.SERVER, attributes }, parent);
  request.span = span;
  // Also fires if the client disconnects, and at the end of event streams.
  reply.raw.once("close", () => endSpan(span, request, reply));
  runIn(span, proceed);
}

/** Runs work within a span. */
export function runIn(span: Span, work: () => void): void {
  context.with(trace.setSpan(context.active(), span), work);
}

function endSpan(span: Span, { tenant, errorCode }: FastifyRequest, { raw, statusCode }: FastifyReply): void {
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
