// Runs in the browser: reads one user group with an embed session, and draws a chart from its variables.
import { createViewer, ViewerError } from "/assets/user-groups-client.js";

const SVG = "http://www.w3.org/2000/svg";
const { url, token } = JSON.parse(find("viewer").textContent ?? "");
let session = token;
const viewer = createViewer({ url, token, renewToken });

find("refresh").addEventListener("click", show);
await show();

/** Fetches a new session for the signed-in customer from our server. */
async function renewToken() {
  const reply = await fetch("/embed-session");
  if (!reply.ok) throw new Error("Please sign in again.");
  session = (await reply.json()).token;
  return session;
}

async function show() {
  try {
    const { name, variables, mapping } = await viewer.read();
    // After `read`, which renews an expired session.
    const sales = await fetch("/sales", { headers: { authorization: `Bearer ${session}` } });
    if (!sales.ok) throw new Error("The data could not be loaded.");
    drawChart(await sales.json(), variables);
    // As text, never as HTML: a group's content is user input.
    const entries = Object.entries(variables);
    find("variables").replaceChildren(
      ...entries.flatMap(([key, value]) => [element("dt", key), element("dd", String(value))]),
    );
    find("mapping").replaceChildren(
      ...mapping.map(({ schemaId, dataSource }) => element("li", `${schemaId}: ${dataSource.providedId}`)),
    );
    find("status").textContent = `Shown for ${name}`;
  } catch (error) {
    const reason = error instanceof ViewerError ? error.code : "sign in again";
    find("status").textContent = `The dashboard could not be loaded (${reason}).`;
  }
}

/**
 * Draws one bar per month.
 * @param {Record<string, number>} sales @param {Readonly<Record<string, unknown>>} variables
 */
function drawChart(sales, { region = "all regions", currency = "units", color = "#555555" }) {
  const months = Object.entries(sales);
  const highest = Math.max(1, ...months.map(([, value]) => value));
  const width = 640 / Math.max(1, months.length);
  const bars = months.flatMap(([month, value], index) => {
    const height = Math.round((value / highest) * 180);
    const middle = (index + 0.5) * width;
    return [
      shape("rect", {
        x: index * width + 12,
        y: 210 - height,
        width: width - 24,
        height,
        fill: String(color),
      }),
      shape("text", { x: middle, y: 202 - height }, String(value)),
      shape("text", { x: middle, y: 230 }, month),
    ];
  });
  const chart = find("chart");
  find("title").textContent = `Sales in ${region}, in ${currency}`;
  chart.replaceChildren(...bars);
}

/** @param {string} id */
function find(id) {
  const found = document.getElementById(id);
  if (!found) throw new Error(`The page has no element with the ID ${id}.`);
  return found;
}

/** @param {string} name @param {string} text */
function element(name, text) {
  const created = document.createElement(name);
  created.textContent = text;
  return created;
}

/** Creates an SVG element. @param {string} name @param {Record<string, string | number>} attributes @param {string} text */
function shape(name, attributes, text = "") {
  const created = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) created.setAttribute(key, String(value));
  created.textContent = text;
  return created;
}
