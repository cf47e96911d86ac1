import type { UserErrorPartsFragment } from "./generated/operations.js";

export type UserErrors = readonly UserErrorPartsFragment[];

/** The message about a field of the input, or about something within it; undefined when there is none. */
export function errorAt(errors: UserErrors, ...path: readonly string[]): string | undefined {
  return errors.find(({ field }) => field && path.every((part, index) => field[index] === part))?.message;
}

/** Those that are about no field that is shown: neither of the named ones nor of something within them. */
export function errorsBeside(errors: UserErrors, shown: readonly string[]): UserErrors {
  return errors.filter(({ field }) => !field || !shown.includes(field[0] ?? ""));
}

/** Whether what was to be changed was changed by somebody else since it was read. */
export function isConflict(errors: UserErrors): boolean {
  return errors.some(({ code }) => code === "VERSION_CONFLICT");
}
