import { DomainError } from "./errors.js";

/**
 * Refuses a change of an object that was changed since its author read it. The object must be locked.
 * @param object such as "session template"
 * @param expected undefined for any
 * @throws DomainError `version_conflict`
 */
export function requireVersion(object: string, version: number, expected: number | undefined): void {
  if (expected === undefined || expected === version) return;
  throw new DomainError(
    "version_conflict",
    `The ${object} has version ${version}, not ${expected}. Read it again.`,
    { field: ["expectedVersion"] },
  );
}
