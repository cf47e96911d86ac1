import { Failure } from "./failure.js";
import { readJson, send } from "./http.js";
import type { SessionEnvironment } from "./session-api.js";

/** Counts of the process that answered, since it started; with those of other accounts. */
export interface ProcessStatus {
  readonly uptime_seconds: number;
  readonly requests: number;
  readonly client_errors: number;
  readonly server_errors: number;
  /** Descending by count. */
  readonly errors: readonly { readonly code: string; readonly count: number }[];
}

/** @throws Failure if the service does not return it */
export async function fetchProcessStatus(
  environment: SessionEnvironment,
  signal: AbortSignal,
): Promise<ProcessStatus> {
  const response = await send("status", { headers: { "x-console": environment }, signal });
  if (response.ok) return readJson(response);
  throw new Failure(
    `The service replied with status ${response.status}.`,
    "INTERNAL",
    response.headers.get("x-request-id"),
  );
}
