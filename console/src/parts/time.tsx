import { useEffect, useState } from "react";

const FORMAT = new Intl.DateTimeFormat(undefined, {
  year: "numeric",
  month: "short",
  day: "numeric",
  hour: "numeric",
  minute: "2-digit",
  timeZoneName: "short",
});
const EXACT = new Intl.DateTimeFormat(undefined, { dateStyle: "full", timeStyle: "long" });
const NOW = "just now";
// Not "tomorrow" for 24 hours, which may end on the day after.
const RELATIVE = new Intl.RelativeTimeFormat();
const MINUTE_MS = 60_000;
/** The units of relative times: the name, its length in minutes, and how many of it are shown as the next unit. */
const UNITS = [
  ["minute", 1, 60],
  ["hour", 60, 24],
  ["day", 24 * 60, 60],
  ["month", 30 * 24 * 60, 24],
  ["year", 365 * 24 * 60, Number.POSITIVE_INFINITY],
] as const;

interface TimeProps {
  /** ISO 8601 timestamp. */
  readonly at: string;
  /** Shows "3 hours ago" or "in 5 days" instead of the date. */
  readonly isRelative?: boolean;
}

/** A timestamp in the browser's locale and time zone, with the exact value as tooltip. */
export function Time({ at, isRelative = false }: TimeProps) {
  const now = useNow(isRelative);
  return (
    <time dateTime={at} title={`${EXACT.format(new Date(at))} (${at})`}>
      {isRelative ? relativeTo(at, now) : FORMAT.format(new Date(at))}
    </time>
  );
}

/** Returns the time, which is updated every minute. */
function useNow(isUpdated: boolean): number {
  const [, setUpdates] = useState(0);
  useEffect(() => {
    if (!isUpdated) return;
    const timer = setInterval(() => setUpdates((updates) => updates + 1), MINUTE_MS);
    return () => clearInterval(timer);
  }, [isUpdated]);
  return Date.now();
}

function relativeTo(at: string, now: number): string {
  const minutes = (Date.parse(at) - now) / MINUTE_MS;
  if (Math.round(minutes) === 0) return NOW;
  for (const [unit, length, limit] of UNITS) {
    const count = Math.round(minutes / length);
    if (Math.abs(count) < limit) return RELATIVE.format(count, unit);
  }
  return FORMAT.format(new Date(at));
}
