// @ts-check
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { chromium } from "playwright-core";

const require = createRequire(import.meta.url);
const PAGE_WIDTH = 1680;
const ROW_HEIGHT = 30;
const COLORS = [
  "#3b66c4",
  "#14724a",
  "#b5651d",
  "#a4262c",
  "#6b3fa0",
  "#00838f",
  "#7a6a00",
  "#d81b60",
  "#555",
  "#2e7d32",
];

/** @typedef {{ title: string, type: string, gridPos: { x: number, y: number, w: number, h: number }, unit: string, noValue: string, series: { label: string, values: (number | null)[] }[] }} Chart */

/**
 * Draws charts as a dashboard with uPlot, which Grafana uses as well.
 * @param {readonly number[]} times in Unix seconds @param {readonly Chart[]} charts
 * @param {{ file: string, browser: string }} options the PNG file, beside which the first panels are drawn in a file of their own, and the path of Chromium
 */
export async function renderDashboard(times, charts, { file, browser }) {
  const folder = dirname(require.resolve("uplot/package.json"));
  const script = await readFile(join(folder, "dist/uPlot.iife.min.js"), "utf8");
  const style = await readFile(join(folder, "dist/uPlot.min.css"), "utf8");
  const height = Math.max(...charts.map(({ gridPos: { y, h } }) => y + h)) * ROW_HEIGHT;
  const data = JSON.stringify({ times, charts, COLORS, PAGE_WIDTH, ROW_HEIGHT });
  const html = `<!doctype html><meta charset="utf-8"><style>${style}${STYLE}</style><body style="height:${height}px"></body>
<script>${script}</script><script>(${draw})(${data})</script>`;
  const chrome = await chromium.launch({ executablePath: browser, chromiumSandbox: false });
  try {
    const page = await chrome.newPage({ viewport: { width: PAGE_WIDTH, height } });
    page.on("pageerror", (error) => {
      throw error;
    });
    await page.setContent(html);
    await page.screenshot({ path: file });
    const clip = { x: 0, y: 0, width: (PAGE_WIDTH * 2) / 3, height: 17 * ROW_HEIGHT };
    await page.screenshot({ path: file.replace(".png", "-requests.png"), clip });
  } finally {
    await chrome.close();
  }
}

const STYLE = `
body{margin:0;position:relative;background:#f4f5f7;font:12px system-ui,sans-serif;color:#222}
.panel,.row{position:absolute;box-sizing:border-box;padding:4px}
.row{font-size:15px;font-weight:600;padding:6px 8px}
.card{background:#fff;border:1px solid #dfe2e6;border-radius:4px;height:100%;padding:6px 8px;box-sizing:border-box;overflow:hidden}
h2{font-size:13px;margin:0 0 2px}
.none{color:#777;padding:60px 0;text-align:center}
.legend{line-height:15px;font-size:11px}.legend i{display:inline-block;width:10px;height:3px;margin:0 4px 3px 8px}`;

/** Runs in the page. @param {any} input */
function draw({ times, charts, COLORS: colors, PAGE_WIDTH: pageWidth, ROW_HEIGHT: rowHeight }) {
  const column = pageWidth / 24;
  /** @param {string} unit @param {number | null} value */
  const format = (unit, value) => {
    if (value === null || value === undefined) return "";
    const round = (/** @type {number} */ number) => String(Number(number.toPrecision(3)));
    if (unit === "percentunit") return `${round(value * 100)} %`;
    if (unit === "s")
      return value !== 0 && Math.abs(value) < 1 ? `${round(value * 1000)} ms` : `${round(value)} s`;
    if (unit === "bytes") return `${round(value / 2 ** 20)} MiB`;
    return round(value) + (unit === "reqps" || unit === "ops" ? " /s" : "");
  };
  for (const { title, type, gridPos, unit, noValue, series } of charts) {
    const place = document.createElement("div");
    place.className = type === "row" ? "row" : "panel";
    place.style.cssText = `left:${gridPos.x * column}px;top:${gridPos.y * rowHeight}px;width:${gridPos.w * column}px;height:${gridPos.h * rowHeight}px`;
    document.body.append(place);
    if (type === "row") {
      place.textContent = title;
      continue;
    }
    const card = Object.assign(document.createElement("div"), { className: "card" });
    card.append(Object.assign(document.createElement("h2"), { textContent: title }));
    place.append(card);
    const shown = series.slice(0, colors.length);
    if (shown.length === 0) {
      card.append(Object.assign(document.createElement("div"), { className: "none", textContent: noValue }));
      continue;
    }
    const legend = Object.assign(document.createElement("div"), { className: "legend" });
    for (const [index, { label }] of shown.entries()) {
      const line = document.createElement("i");
      line.style.background = colors[index];
      legend.append(line, label);
    }
    const lines = Math.min(
      3,
      Math.ceil(
        shown.reduce((/** @type {number} */ sum, /** @type {any} */ { label }) => sum + label.length + 5, 0) /
          ((gridPos.w * column) / 6),
      ),
    );
    const options = {
      width: gridPos.w * column - 28,
      height: gridPos.h * rowHeight - 44 - lines * 15,
      legend: { show: false },
      cursor: { show: false },
      scales: {
        y: {
          range: (/** @type {any} */ _u, /** @type {number} */ min, /** @type {number} */ max) => [
            Math.min(0, min),
            max > 0 ? max * 1.05 : unit === "bytes" ? 2 ** 20 : 1,
          ],
        },
      },
      axes: [
        { size: 28 },
        {
          size: 68,
          values: (/** @type {any} */ _u, /** @type {number[]} */ ticks) =>
            ticks.map((tick) => format(unit, tick)),
        },
      ],
      series: [
        {},
        ...shown.map((/** @type {any} */ _each, /** @type {number} */ index) => ({
          stroke: colors[index],
          width: 1.5,
        })),
      ],
    };
    const chart = document.createElement("div");
    card.append(chart, legend);
    // @ts-expect-error uPlot is loaded by the page
    new uPlot(options, [times, ...shown.map((/** @type {any} */ { values }) => values)], chart);
  }
}
