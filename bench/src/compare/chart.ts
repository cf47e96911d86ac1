import { OURS } from "./contestants.js";
import type { Results, Series } from "./results.js";

const [WIDTH, LABEL, NUMBER, BAR, GAP, FONT] = [760, 300, 40, 14, 6, 12];
const LEFT = LABEL + NUMBER;

/** Draws our requests per second divided by each contestant's, as an SVG. The line marks equal speed. */
export function ratioChart(results: Results): string {
  const bars = results
    .allSeries()
    .filter(({ contestant, half }) => contestant !== OURS && !half)
    .map((series) => ({ title: titleOf(series), ratio: ratioOf(results, series) }))
    .filter(({ ratio }) => !Number.isNaN(ratio));
  const height = bars.length * (BAR + GAP) + GAP;
  const largest = Math.max(...bars.map(({ ratio }) => ratio));
  const scale = (ratio: number) => (ratio / largest) * (WIDTH - LEFT);
  const rows = bars.map(({ title, ratio }, index) => {
    const y = GAP + index * (BAR + GAP);
    const text = `y="${y + FONT - 1}" fill="currentColor"`;
    return `<text x="${LABEL - 8}" ${text} text-anchor="end">${title}</text>
<text x="${LEFT - 8}" ${text} text-anchor="end">${ratio.toFixed(2)}</text>
<rect x="${LEFT}" y="${y}" width="${scale(ratio).toFixed(1)}" height="${BAR}" fill="${ratio >= 1 ? "#2f855a" : "#b7791f"}"/>`;
  });
  const one = (LEFT + scale(1)).toFixed(1);
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" font-family="sans-serif" font-size="${FONT}" color="#718096" role="img" aria-label="Requests per second, divided by each contestant's">
${rows.join("\n")}
<line x1="${one}" y1="0" x2="${one}" y2="${height}" stroke="currentColor" stroke-dasharray="3 3"/>
</svg>
`;
}

function titleOf({ workload, contestant, connections }: Series): string {
  return `${workload}, ${connections} connection${connections === 1 ? "" : "s"} ÷ ${contestant}`;
}

function ratioOf(results: Results, series: Series): number {
  return results.ratio({ ...series, contestant: OURS }, series, "perSecond");
}
