import { useState } from "react";
import { type Days, formatDay } from "./days.js";
import { OnDemand } from "./on-demand.js";
import { plural } from "./plural.js";

interface DayChartProps {
  /** None while they are loaded. */
  readonly days: Days;
  /** Name of a counted item, in the singular. */
  readonly noun: string;
  /** Whether each number is a total, as that of groups, which cannot be added up. */
  readonly isTotal?: boolean;
  /** The token of the bars' color. */
  readonly color?: `--${string}`;
  /** A tile has neither axes nor caption; a line is as high as text, and the sum follows it. */
  readonly variant?: "tile" | "line";
}

/** A bar chart of a number per day. */
export function DayChart({ days, noun, isTotal = false, color = "--accent", variant }: DayChartProps) {
  const [pointedAt, setPointedAt] = useState<number | null>(null);
  const counts = days.map(({ count }) => count ?? 0);
  const sum = plural(isTotal ? (counts.at(-1) ?? 0) : counts.reduce((sum, count) => sum + count, 0), noun);
  const highest = Math.max(0, ...counts).toLocaleString();
  const label = isTotal ? `${sum} today` : `${sum} in ${days.length} days, at most ${highest} on a day`;
  const day = pointedAt === null ? undefined : days[pointedAt];
  const atDay =
    day && `${formatDay(day.date)}: ${day.count === null ? "not known" : plural(day.count, noun)}`;
  return (
    <div className={`day-chart ${variant ?? ""}`}>
      <div className="plot">
        {days.length > 0 && (
          <OnDemand
            load={loadBars}
            props={{ days, label, color, hasAxes: !variant, onPoint: setPointedAt }}
          />
        )}
      </div>
      {variant !== "tile" && (
        <p className="fine" aria-hidden="true">
          {variant === "line" ? sum : (atDay ?? `${label} (UTC)`)}
        </p>
      )}
    </div>
  );
}

async function loadBars() {
  return (await import("./bars.js")).Bars;
}
