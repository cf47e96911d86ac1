import type { UserErrorView } from "../shared/user-error-type.js";

interface ItemResult {
  readonly userErrors: readonly UserErrorView[];
}

/** Returns the errors of all user groups of a call, with their paths in the input. */
export function errorsOfItems(results: readonly ItemResult[]): UserErrorView[] {
  return results.flatMap(({ userErrors }, index) =>
    userErrors.filter(isCause).map((error) => error.within(["userGroups", String(index)])),
  );
}

/** Returns whether an error is not merely the consequence of errors in other user groups. */
export function isCause({ code }: UserErrorView): boolean {
  return code !== "batch_rejected";
}
