import type { AdminOverviewQuery } from "../api/generated/operations.js";
import { DayChart } from "../parts/day-chart.js";
import { formatDay } from "../parts/days.js";
import { Scrolled } from "../parts/scrolled.js";

/** The changes per day as a chart and as a table. */
export function UsageChart({ auditDays }: { readonly auditDays: AdminOverviewQuery["auditDays"] }) {
  const days = auditDays.map(({ date, changes }) => ({ date, count: changes }));
  return (
    <section className="card" aria-labelledby="per-day">
      <h2 id="per-day">Changes per day</h2>
      <DayChart days={days} noun="change" />
      <details className="usage-table">
        <summary>Show as table</summary>
        <Scrolled label="Numbers per day">
          <table>
            <thead>
              <tr>
                <th scope="col">Day (UTC)</th>
                <th scope="col">Changes</th>
              </tr>
            </thead>
            <tbody>
              {[...days].reverse().map(({ date, count }) => (
                <tr key={date}>
                  <th scope="row">{formatDay(date)}</th>
                  <td>{count.toLocaleString()}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </Scrolled>
      </details>
    </section>
  );
}
