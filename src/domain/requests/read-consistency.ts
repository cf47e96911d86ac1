import { invalidField } from "../shared/errors.js";

export const READ_CONSISTENCY_HEADER = "x-read-consistency";
export const READ_CONSISTENCIES = ["strong", "eventual"] as const;

/** Consistency of a read-only request: `strong` sees all earlier writes, `eventual` may read from a lagging replica. */
export type ReadConsistency = (typeof READ_CONSISTENCIES)[number];

/** Parses the X-Read-Consistency header. @returns undefined if it is absent @throws DomainError `invalid_field` for any other value */
export function parseReadConsistency(
  header: string | readonly string[] | undefined,
): ReadConsistency | undefined {
  if (header === undefined) return undefined;
  const consistency = READ_CONSISTENCIES.find((known) => known === header);
  if (consistency) return consistency;
  throw invalidField(["X-Read-Consistency"], `must be ${READ_CONSISTENCIES.join(" or ")}`);
}
