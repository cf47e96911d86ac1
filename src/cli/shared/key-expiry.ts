const HOUR_MS = 3_600_000;
const UNITS: ReadonlyMap<string, number> = new Map([
  ["h", HOUR_MS],
  ["d", 24 * HOUR_MS],
  ["w", 7 * 24 * HOUR_MS],
]);
const DATE = /^(\d{4}-\d{2}-\d{2})(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:\d{2}))?$/;

/**
 * Parses an expiry: an ISO 8601 date (start of day in UTC) or time, or a number of hours (h), days (d) or weeks (w) from now.
 * @returns null for any other text, and for a time in the past
 */
export function parseExpiry(text: string, now: Date): Date | null {
  const [, amount, unit = ""] = /^(\d{1,5})([hdw])$/.exec(text) ?? [];
  const time = amount === undefined ? dateOf(text) : now.getTime() + Number(amount) * (UNITS.get(unit) ?? 0);
  return time > now.getTime() ? new Date(time) : null;
}

function dateOf(text: string): number {
  const [, day = ""] = DATE.exec(text) ?? [];
  const startOfDay = new Date(day);
  // Date accepts 31 February as a day in March.
  if (Number.isNaN(startOfDay.getTime()) || !startOfDay.toISOString().startsWith(day)) return Number.NaN;
  return Date.parse(text);
}
