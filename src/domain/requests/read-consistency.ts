import { invalidField } from "../shared/errors.js";

export const READ_CONSISTENCY_HEADER = "x-read-consistency";
export const READ_CONSISTENCIES = ["strong", "eventual"] as const;

/** What a request that only reads wants to see: everything that was written before it, or what a replica of the database has by then. */
export type ReadConsistency = (typeof READ_CONSISTENCIES)[number];

/** @returns undefined where there is no such header @throws DomainError `invalid_field` for any other value */
export function readReadConsistency(
  header: string | readonly string[] | undefined,
): ReadConsistency | undefined {
  if (header === undefined) return undefined;
  const consistency = READ_CONSISTENCIES.find((known) => known === header);
  if (consistency) return consistency;
  throw invalidField(["X-Read-Consistency"], `must be ${READ_CONSISTENCIES.join(" or ")}`);
}
