interface ChangeChartProps {
  readonly days: readonly { readonly date: string; readonly changes: number }[];
}

const WIDTH = 600;
const HEIGHT = 120;
const GAP = 4;

/** A bar chart of the changes per day. */
export function ChangeChart({ days }: ChangeChartProps) {
  const highest = Math.max(1, ...days.map(({ changes }) => changes));
  const total = days.reduce((sum, { changes }) => sum + changes, 0);
  const step = WIDTH / days.length;
  const summary = `${total.toLocaleString()} changes in ${days.length} days, at most ${highest.toLocaleString()} on a day`;
  return (
    <figure className="chart">
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label={summary}>
        {days.map(({ date, changes }, index) => {
          const height = changes === 0 ? 1 : Math.max(3, (changes / highest) * HEIGHT);
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
      <figcaption className="fine">
        <span>{formatDay(days[0]?.date)}</span>
        <span>{total.toLocaleString()} changes (UTC days)</span>
        <span>today</span>
      </figcaption>
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
