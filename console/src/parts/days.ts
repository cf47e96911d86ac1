/** A number per day in UTC, oldest first; null if it is not known. */
export type Days = readonly { readonly date: string; readonly count: number | null }[];

/** Returns, for example, "Nov 26" in the browser's locale. */
export function formatDay(date = ""): string {
  return new Date(`${date}T00:00:00Z`).toLocaleDateString(undefined, {
    month: "short",
    day: "numeric",
    timeZone: "UTC",
  });
}
