import type { UserErrorPartsFragment } from "./generated/operations.js";

/** Entries of `userErrors`. */
export type UserErrors = readonly UserErrorPartsFragment[];

/**
 * Returns the error message for an input field or a part of it, without the field's name in the API, as it is shown next
 * to the field; undefined if there is none.
 */
export function errorAt(errors: UserErrors, ...path: readonly string[]): string | undefined {
  const found = errors.find(({ field }) => field && path.every((part, index) => field[index] === part));
  if (!found?.field) return undefined;
  const { field, message } = found;
  const name = `${field.join(".")} `;
  if (!message.startsWith(name)) return message;
  const rule = message.slice(name.length);
  return rule.charAt(0).toUpperCase() + rule.slice(1);
}

/** Returns the errors that are not shown next to one of the given fields. */
export function otherErrors(errors: UserErrors, shown: readonly string[]): UserErrors {
  return errors.filter(({ field }) => !field || !shown.includes(field[0] ?? ""));
}

/** Returns whether another client changed the object since it was read. */
export function isConflict(errors: UserErrors): boolean {
  return errors.some(({ code }) => code === "VERSION_CONFLICT");
}
