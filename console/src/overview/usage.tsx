import { useEffect, useRef } from "react";
import { DayChart } from "../parts/day-chart.js";
import { formatDay } from "../parts/days.js";
import { Scrolled } from "../parts/scrolled.js";
import { useRoute } from "../routing/navigation.js";
import { hashOf } from "../routing/route.js";

/** The numbers per day, by their name in the URL. */
const MEASURES = {
  calls: { label: "Calls", noun: "call" },
  errors: { label: "Errors", noun: "error", color: "--danger" },
  sessions: { label: "Embed sessions", noun: "embed session" },
  groups: { label: "Groups", noun: "group", isTotal: true },
  changes: { label: "Changes", noun: "change" },
} as const;

type Measure = keyof typeof MEASURES;

/** The numbers of a day in UTC; those that are not known are missing. */
export type Day = { readonly date: string } & Readonly<Partial<Record<Measure, number | null>>>;

interface UsageProps {
  /** Oldest first. */
  readonly days: readonly Day[];
  readonly measures: readonly Measure[];
}

/** Numbers of today, each with a chart of the days before. */
export function UsageTiles({ days, measures }: UsageProps) {
  const today = days.at(-1);
  return (
    <dl className="figures card">
      {measures.map((measure) => {
        const count = today?.[measure];
        const text = typeof count === "number" ? count.toLocaleString() : "–";
        return (
          <div key={measure}>
            <dt>{measure === "groups" ? "Groups" : `${MEASURES[measure].label} today`}</dt>
            <dd>{measure === "groups" ? <a href={hashOf(["groups"])}>{text}</a> : text}</dd>
            <dd className="fine">{trendOf(days, measure)}</dd>
            <dd>
              <DayChart {...MEASURES[measure]} days={countsOf(days, measure)} variant="tile" />
            </dd>
          </div>
        );
      })}
    </dl>
  );
}

/** A chart of the number that is selected in the URL, and a table of all. */
export function UsageChart({ days, measures }: UsageProps) {
  const { path, query } = useRoute();
  const shown = measures.find((measure) => measure === query["chart"]) ?? "calls";
  const card = useRef<HTMLElement>(null);
  const previous = useRef(query["chart"]);
  useEffect(() => {
    // Not when the page opens.
    if (previous.current !== query["chart"]) card.current?.scrollIntoView({ block: "nearest" });
    previous.current = query["chart"];
  }, [query]);
  return (
    <section ref={card} className="card" aria-labelledby="per-day">
      <h2 id="per-day">{MEASURES[shown].label} per day</h2>
      <nav className="filters" aria-label="Chart">
        {measures.map((measure) => (
          <a
            key={measure}
            href={hashOf(path, { chart: measure })}
            aria-current={measure === shown ? "true" : undefined}
          >
            {MEASURES[measure].label}
          </a>
        ))}
      </nav>
      <DayChart {...MEASURES[shown]} days={countsOf(days, shown)} />
      <details className="usage-table">
        <summary>Show as table</summary>
        <Scrolled label="Numbers per day">
          <table>
            <thead>
              <tr>
                <th scope="col">Day (UTC)</th>
                {measures.map((measure) => (
                  <th key={measure} scope="col">
                    {MEASURES[measure].label}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {[...days].reverse().map((day) => (
                <tr key={day.date}>
                  <th scope="row">{formatDay(day.date)}</th>
                  {measures.map((measure) => (
                    <td key={measure}>{day[measure]?.toLocaleString() ?? "–"}</td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </Scrolled>
      </details>
    </section>
  );
}

const WEEK = 7;
const CHANGE = new Intl.NumberFormat(undefined, { signDisplay: "exceptZero" });
const PERCENT = new Intl.NumberFormat(undefined, {
  style: "percent",
  signDisplay: "exceptZero",
  maximumFractionDigits: 0,
});

/** Returns how a number has changed: the last seven whole days against the seven before, or a total against that of a week ago. */
function trendOf(days: readonly Day[], measure: Measure): string | null {
  const counts = days.map((day) => day[measure]);
  if ("isTotal" in MEASURES[measure]) {
    const [now, before] = [counts.at(-1), counts.at(-1 - WEEK)];
    return typeof now === "number" && typeof before === "number"
      ? `${CHANGE.format(now - before)} in ${WEEK} days`
      : null;
  }
  const [week, before] = [counts.slice(-1 - WEEK, -1), counts.slice(-1 - 2 * WEEK, -1 - WEEK)].map(sumOf);
  if (week === undefined || before === undefined) return null;
  if (before === 0) return week === 0 ? "None in 14 days" : "None in the week before";
  return `${PERCENT.format(week / before - 1)} on the week before`;
}

/** Returns the sum of a week; undefined if a day is not known. */
function sumOf(counts: readonly (number | null | undefined)[]): number | undefined {
  const known = counts.filter((count) => typeof count === "number");
  return known.length === WEEK ? known.reduce((sum, count) => sum + count, 0) : undefined;
}

function countsOf(days: readonly Day[], measure: Measure) {
  return days.map((day) => ({ date: day.date, count: day[measure] ?? null }));
}
