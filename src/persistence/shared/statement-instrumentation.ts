import { SpanKind, type Tracer } from "@opentelemetry/api";
import type { DatabaseMetrics } from "../../telemetry/database-metrics.js";
import { inSpan } from "../../telemetry/tracing.js";
import type { Statement } from "./statement.js";

const MS_PER_S = 1000;

export interface Instruments {
  readonly metrics: DatabaseMetrics;
  readonly tracing: Tracer | undefined;
}

/** Sends a statement and records its duration and span under the statement's name, never with its text or values. */
export async function instrumentStatement<Result>(
  { metrics, tracing }: Instruments,
  { name, label = "unnamed" }: Statement,
  send: () => Promise<Result>,
): Promise<Result> {
  const statementName = name ?? label;
  const startedAt = performance.now();
  let outcome = "error";
  try {
    const result = tracing
      ? await inSpan(
          tracing,
          statementName,
          { kind: SpanKind.CLIENT, attributes: attributesOf(statementName) },
          send,
        )
      : await send();
    outcome = "ok";
    return result;
  } finally {
    const seconds = (performance.now() - startedAt) / MS_PER_S;
    metrics.statements.observe({ statement: statementName, outcome }, seconds);
  }
}

/** OpenTelemetry's semantic conventions for databases. */
function attributesOf(name: string) {
  return { "db.system.name": "postgresql", "db.query.summary": name };
}
