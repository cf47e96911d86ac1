import { medianOf } from "../measure.js";
import { OURS, OURS_AGAIN } from "./contestants.js";
import type { Results, Series } from "./results.js";

/** Narrow enough for phones. */
const [WIDTH, LABEL, NUMBER, FONT] = [400, 96, 40, 12];
const [HEADING, ROW, BAR, AXIS] = [28, 20, 12, 24];
const [LEFT, RIGHT] = [LABEL + NUMBER, WIDTH - 12];
const STYLE = `svg{color:#4a5568}.faster{fill:#14724a}.slower{fill:#b45309}
@media (prefers-color-scheme:dark){svg{color:#a1aabb}.faster{fill:#7fd6a0}.slower{fill:#f0b35e}}`;

/** Draws our requests per second divided by each contestant's, as an SVG with a logarithmic axis. */
export function ratioChart(results: Results): string {
  const bars = results
    .allSeries()
    .filter(({ contestant, half }) => contestant !== OURS && contestant !== OURS_AGAIN && !half)
    .map((series) => ({
      ...series,
      ratio: medianOf(results.ratios({ ...series, contestant: OURS }, series, "perSecond")),
    }))
    .filter(({ ratio }) => !Number.isNaN(ratio));
  const connections = middleOf(bars);
  const shown = bars.filter((bar) => bar.connections === connections);
  const ticks = ticksOf(shown.map(({ ratio }) => ratio));
  const [first = 0, last = 0] = [ticks.at(0), ticks.at(-1)];
  const x = (ratio: number) => LEFT + ((Math.log2(ratio) - first) / (last - first)) * (RIGHT - LEFT);
  let y = AXIS;
  const rows = shown.map(({ workload, contestant, ratio }, index) => {
    const isFirst = workload !== shown[index - 1]?.workload;
    const heading = isFirst ? text(0, y + HEADING - 8, workload, "bold") : "";
    y += (isFirst ? HEADING : 0) + ROW;
    const [from, to] = [Math.min(x(1), x(ratio)), Math.max(x(1), x(ratio))];
    return `${heading}${text(0, y - 6, contestant)}${text(LEFT - 8, y - 6, ratio.toFixed(2), "end")}
<rect class="${ratio >= 1 ? "faster" : "slower"}" x="${from.toFixed(1)}" y="${y - ROW / 2 - BAR / 2}" width="${(to - from).toFixed(1)}" height="${BAR}"/>`;
  });
  const axis = ticks.map((tick) => {
    const at = x(2 ** tick).toFixed(1);
    const label = tick < 0 ? `1/${2 ** -tick}` : `${2 ** tick}`;
    return `<path d="M${at} ${AXIS}V${y}" stroke="currentColor" stroke-opacity="${tick === 0 ? 1 : 0.25}"/>
${[AXIS - 8, y + 16].map((labelY) => text(at, labelY, `${label}×`, "middle")).join("")}`;
  });
  const title = `Requests per second of the service, divided by each contestant's, over ${connections} connections`;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${y + AXIS}" viewBox="0 0 ${WIDTH} ${y + AXIS}" font-family="system-ui, sans-serif" font-size="${FONT}" role="img" aria-label="${title}">
<style>${STYLE}</style>
${[...axis, ...rows].join("\n")}
</svg>
`;
}

/** The middle one of the measured numbers of connections. */
function middleOf(series: readonly Series[]): number | undefined {
  const all = [...new Set(series.map(({ connections }) => connections))].toSorted(
    (one, other) => one - other,
  );
  return all[Math.floor(all.length / 2)];
}

/** The powers of two around the ratios and 1. */
function ticksOf(ratios: readonly number[]): readonly number[] {
  const powers = [1, ...ratios].map(Math.log2);
  const [first, last] = [Math.floor(Math.min(...powers)), Math.ceil(Math.max(...powers))];
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}

function text(x: number | string, y: number, content: string, style: "bold" | "end" | "middle" | "" = "") {
  const attribute = style === "bold" ? ` font-weight="600"` : style === "" ? "" : ` text-anchor="${style}"`;
  return `<text x="${x}" y="${y}" fill="currentColor"${attribute}>${content}</text>`;
}
