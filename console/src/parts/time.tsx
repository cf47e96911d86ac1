const FORMAT = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });
const RELATIVE = new Intl.RelativeTimeFormat(undefined, { numeric: "auto" });
const UNITS = [
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
  ["second", 1000],
] as const;

interface TimeProps {
  /** ISO 8601 timestamp. */
  readonly at: string;
  /** Shows "3 hours ago" or "in 5 days" instead of the date. */
  readonly isRelative?: boolean;
}

/** A timestamp in the browser's locale and time zone, with the exact value as tooltip. */
export function Time({ at, isRelative = false }: TimeProps) {
  const exact = FORMAT.format(new Date(at));
  return (
    <time dateTime={at} title={isRelative ? `${exact} (${at})` : at}>
      {isRelative ? relativeTo(at, Date.now()) : exact}
    </time>
  );
}

function relativeTo(at: string, now: number): string {
  const distance = Date.parse(at) - now;
  const [unit, length] = UNITS.find(([, length]) => Math.abs(distance) >= length) ?? ["second", 1000];
  return RELATIVE.format(Math.round(distance / length), unit);
}
