import type { DatabaseMetrics } from "../../telemetry/database-metrics.js";
import { inSpan, type Tracing } from "../../telemetry/tracing.js";
import type { Statement } from "./statement.js";

const MS_PER_S = 1000;

/** Runs what sends a statement to the database, timed and traced under the statement's name: never with its text or its values. */
export async function watchStatement<Result>(
  { statements }: DatabaseMetrics,
  tracing: Tracing | undefined,
  { name, label = "unnamed" }: Statement,
  send: () => Promise<Result>,
): Promise<Result> {
  const known = name ?? label;
  const startedAt = performance.now();
  let outcome = "error";
  try {
    const result = tracing
      ? await inSpan(tracing, known, { kind: "client", attributes: attributesOf(known) }, send)
      : await send();
    outcome = "ok";
    return result;
  } finally {
    statements.of(known, outcome).record((performance.now() - startedAt) / MS_PER_S);
  }
}

/** By OpenTelemetry's conventions for databases. */
function attributesOf(name: string) {
  return { "db.system.name": "postgresql", "db.query.summary": name };
}
