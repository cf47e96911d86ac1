import { ApolloServerErrorCode } from "@apollo/server/errors";
import { ERROR_CODES } from "../../domain/shared/error-catalogue.js";
import type { Metrics } from "../../telemetry/metrics.js";

/** Error codes of the domain and of Apollo Server; bounds the metric's label values. */
const CODES: ReadonlySet<string> = new Set([
  ...ERROR_CODES,
  ...Object.values(ApolloServerErrorCode).map((code) => code.toLowerCase()),
]);

/** Counts an error sent to a client, by code. */
export function countError({ errors }: Metrics, code: unknown): void {
  const name = String(code).toLowerCase();
  errors.inc({ api: "graphql", code: CODES.has(name) ? name : "other" });
}
