import type { Telemetry } from "../../telemetry/telemetry.js";
import { inSpan } from "../../telemetry/tracing.js";
import type { Executor } from "./executor.js";

const MS_PER_S = 1000;

/** Has operations be timed and traced by their type: their names are the caller's words. */
export function watchOperations(execute: Executor, { tally, tracing }: Telemetry): Executor {
  return async (ready) => {
    const type = ready.operation?.operation ?? "query";
    const startedAt = performance.now();
    let outcome = "errors";
    try {
      const attributes = { "graphql.operation.type": type };
      const result = tracing
        ? await inSpan(tracing, `graphql ${type}`, { attributes }, () => execute(ready))
        : await execute(ready);
      if (!result.errors) outcome = "ok";
      return result;
    } finally {
      tally.operations.of(type, outcome).record((performance.now() - startedAt) / MS_PER_S);
    }
  };
}
