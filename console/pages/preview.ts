import "../src/styles/tokens.css";
import "./preview.css";
import type { Picture } from "../src/parts/embed/preview-frame.js";

// The sample dashboard of the quick start, in a frame of the console, which sends what to draw. The frame has an opaque
// origin: it can read neither the console nor its session.

/** A stand-in for data: monthly sales by region. */
const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun"];
const SALES: Readonly<Record<string, readonly number[]>> = {
  EU: [120, 135, 128, 160, 172, 190],
  US: [210, 190, 240, 235, 260, 300],
};
const OTHER_SALES = [165, 150, 185, 190, 220, 245];
/** Variables and data sources that are listed. */
const MAX_FACTS = 30;
const WIDTH = 640;
const BASE = 210;
const SVG = "http://www.w3.org/2000/svg";

const main = document.querySelector("main");
addEventListener("message", ({ data, source }: MessageEvent<Picture & { readonly theme: string }>) => {
  if (source !== parent) return;
  document.documentElement.dataset["theme"] = data.theme;
  draw(data);
});

function draw({ name, variables, mapping }: Picture): void {
  const sources = mapping.map(({ schemaId, dataSource }) => [schemaId, dataSource] as const);
  main?.replaceChildren(
    element("h1", name),
    chartOf(variables),
    ...listOf("Variables", Object.entries(variables)),
    ...listOf("Data sources", sources),
  );
  parent.postMessage(document.documentElement.offsetHeight, "*");
}

function chartOf({ region = "all regions", currency = "units", color }: Picture["variables"]): Element {
  const sales = SALES[String(region)] ?? OTHER_SALES;
  const title = `Sales in ${text(region)}, in ${text(currency)}`;
  const chart = shape("svg", { role: "img", "aria-label": title, viewBox: `0 0 ${WIDTH} ${BASE + 40}` });
  if (isColor(color)) chart.style.fill = color;
  const step = WIDTH / MONTHS.length;
  for (const [index, month] of MONTHS.entries()) {
    const value = sales[index] ?? 0;
    const height = (value / Math.max(...sales)) * (BASE - 50);
    const middle = (index + 0.5) * step;
    chart.append(
      shape("rect", { x: index * step + 14, y: BASE - height, width: step - 28, height, rx: 6 }),
      shape("text", { x: middle, y: BASE - height - 10 }, String(value)),
      shape("text", { x: middle, y: BASE + 34 }, month),
    );
  }
  chart.append(shape("line", { x2: WIDTH, y1: BASE, y2: BASE }));
  const figure = document.createElement("figure");
  figure.append(element("figcaption", title), chart);
  return figure;
}

function listOf(title: string, facts: readonly (readonly [string, unknown])[]): readonly Element[] {
  if (facts.length === 0) return [];
  const list = document.createElement("dl");
  list.append(...facts.slice(0, MAX_FACTS).flatMap(([key, value]) => fact(key, value)));
  const rest = facts.length - MAX_FACTS;
  return [element("h2", title), list, ...(rest > 0 ? [element("p", `and ${rest} more`)] : [])];
}

function fact(key: string, value: unknown): readonly Element[] {
  const description = element("dd", text(value));
  if (isColor(value)) {
    const swatch = document.createElement("span");
    swatch.style.background = value;
    description.prepend(swatch);
  }
  return [element("dt", key), description];
}

function text(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

function isColor(value: unknown): value is string {
  return typeof value === "string" && CSS.supports("color", value);
}

function element(name: string, content: string): Element {
  const created = document.createElement(name);
  created.textContent = content;
  return created;
}

function shape(name: string, attributes: Readonly<Record<string, string | number>>, content = "") {
  const created = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) created.setAttribute(key, String(value));
  created.textContent = content;
  if (!(created instanceof SVGElement)) throw new Error(`${name} is no shape.`);
  return created;
}
