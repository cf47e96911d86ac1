import { plural } from "./plural.js";

interface ChangeChartProps {
  readonly days: readonly { readonly date: string; readonly changes: number }[];
  /** Name of a counted item, in the singular. */
  readonly noun?: string;
  /** Whether it is as high as a line of text, followed by the total. */
  readonly isInline?: boolean;
}

const WIDTH = 600;
const HEIGHT = 120;
const GAP = 4;

/** A bar chart of the changes or writes per day in UTC. */
export function ChangeChart({ days, noun = "change", isInline = false }: ChangeChartProps) {
  const highest = Math.max(1, ...days.map(({ changes }) => changes));
  const total = plural(
    days.reduce((sum, { changes }) => sum + changes, 0),
    noun,
  );
  const step = WIDTH / days.length;
  // About a pixel.
  const line = isInline ? HEIGHT / 20 : 1;
  const summary = `${total} in ${days.length} days, at most ${highest.toLocaleString()} on a day`;
  return (
    <figure className={isInline ? "chart inline" : "chart"}>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label={summary}>
        {days.map(({ date, changes }, index) => {
          const height = changes === 0 ? line : Math.max(3 * line, (changes / highest) * HEIGHT);
          return (
            <rect
              key={date}
              className={changes === 0 ? "none" : undefined}
              x={index * step + GAP / 2}
              y={HEIGHT - height}
              width={step - GAP}
              height={height}
            >
              <title>{`${formatDay(date)}: ${changes.toLocaleString()}`}</title>
            </rect>
          );
        })}
      </svg>
      {isInline ? (
        <figcaption className="fine">{total}</figcaption>
      ) : (
        <figcaption className="fine">
          <span>{formatDay(days[0]?.date)}</span>
          <span>
            {total} in {days.length} days (UTC)
          </span>
          <span>today</span>
        </figcaption>
      )}
    </figure>
  );
}

function formatDay(date = ""): string {
  return new Date(`${date}T00:00:00Z`).toLocaleDateString(undefined, {
    month: "short",
    day: "numeric",
    timeZone: "UTC",
  });
}
