import { medianOf } from "../measure.js";
import { OURS, OURS_AGAIN, type Work } from "./contestants.js";
import { comparedSeries } from "./report.js";
import type { Results } from "./results.js";
import { DEFAULT_CONNECTIONS } from "./rounds.js";

/** Narrow enough for phones. */
const [WIDTH, LABEL, NUMBER, FONT] = [400, 112, 40, 12];
const [TITLE, HEADING, ROW, BAR, AXIS] = [32, 28, 20, 12, 24];
const [LEFT, RIGHT] = [LABEL + NUMBER, WIDTH - 12];
const STYLE = `svg{color:#4a5568}.faster{fill:#14724a}.slower{fill:#b45309}
@media (prefers-color-scheme:dark){svg{color:#a1aabb}.faster{fill:#7fd6a0}.slower{fill:#f0b35e}}`;

const TITLES: Readonly<Record<Work, string>> = {
  equal: "Servers that do equal work",
  less: "Servers that do less",
};

/** Draws our requests per second divided by each contestant's, as an SVG with a logarithmic axis, in a group for each kind of work. */
export function ratioChart(results: Results): string {
  const shown = (["equal", "less"] as const).flatMap((work) =>
    comparedSeries(results, work, DEFAULT_CONNECTIONS)
      .filter(({ contestant }) => contestant !== OURS_AGAIN)
      .map((series) => ({
        ...{ work, ...series },
        ratio: medianOf(results.ratios({ ...series, contestant: OURS }, series, "perSecond")),
      }))
      // Not a number when no request was answered.
      .filter(({ ratio }) => !Number.isNaN(ratio)),
  );
  const ticks = ticksOf(shown.map(({ ratio }) => ratio));
  const [first = 0, last = 0] = [ticks.at(0), ticks.at(-1)];
  const x = (ratio: number) => LEFT + ((Math.log2(ratio) - first) / (last - first)) * (RIGHT - LEFT);
  let y = AXIS;
  const rows = shown.map(({ work, workload, contestant, ratio }, index) => {
    const previous = shown[index - 1];
    const isFirstOfWork = work !== previous?.work;
    if (isFirstOfWork) y += TITLE;
    const title = isFirstOfWork ? text(0, y - 6, TITLES[work], "title") : "";
    const isFirst = isFirstOfWork || workload !== previous?.workload;
    const heading = isFirst ? text(0, y + HEADING - 8, workload, "bold") : "";
    y += (isFirst ? HEADING : 0) + ROW;
    const [from, to] = [Math.min(x(1), x(ratio)), Math.max(x(1), x(ratio))];
    return `${title}${heading}${text(0, y - 6, contestant)}${text(LEFT - 8, y - 6, ratio.toFixed(2), "end")}
<rect class="${ratio >= 1 ? "faster" : "slower"}" x="${from.toFixed(1)}" y="${y - ROW / 2 - BAR / 2}" width="${(to - from).toFixed(1)}" height="${BAR}"/>`;
  });
  const axis = ticks.map((tick) => {
    const at = x(2 ** tick).toFixed(1);
    const label = tick < 0 ? `1/${2 ** -tick}` : `${2 ** tick}`;
    return `<path d="M${at} ${AXIS}V${y}" stroke="currentColor" stroke-opacity="${tick === 0 ? 1 : 0.25}"/>
${[AXIS - 8, y + 16].map((labelY) => text(at, labelY, `${label}×`, "middle")).join("")}`;
  });
  const title = `Requests per second of the service, divided by each contestant's, over ${DEFAULT_CONNECTIONS} connections`;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${y + AXIS}" viewBox="0 0 ${WIDTH} ${y + AXIS}" font-family="system-ui, sans-serif" font-size="${FONT}" role="img" aria-label="${title}">
<style>${STYLE}</style>
${[...axis, ...rows].join("\n")}
</svg>
`;
}

/** The powers of two around the ratios and 1. */
function ticksOf(ratios: readonly number[]): readonly number[] {
  const powers = [1, ...ratios].map(Math.log2);
  const [first, last] = [Math.floor(Math.min(...powers)), Math.ceil(Math.max(...powers))];
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}

function text(
  x: number | string,
  y: number,
  content: string,
  style: "title" | "bold" | "end" | "middle" | "" = "",
) {
  const attribute = {
    title: ` font-size="15" font-weight="600"`,
    bold: ` font-weight="600"`,
    end: ` text-anchor="end"`,
    middle: ` text-anchor="middle"`,
    "": "",
  }[style];
  return `<text x="${x}" y="${y}" fill="currentColor"${attribute}>${content}</text>`;
}
