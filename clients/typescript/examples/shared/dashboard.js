// Runs in the browser: follows one user group with embed sessions, and draws a chart from its variables.
import { createViewer, ViewerError } from "/assets/user-groups-client.js";

const SVG = "http://www.w3.org/2000/svg";
const { url } = JSON.parse(find("viewer").textContent ?? "");
// Our server creates the sessions, for the signed-in customer.
const viewer = createViewer({ url, getSession: ({ signal }) => fetch("/embed-session", { signal }) });
viewer.watch(show);

/** @param {import("@user-groups/client/browser").ViewerState} state */
async function show({ userGroup, error, signedOut }) {
  try {
    if (error) throw error;
    if (!userGroup) return;
    const { name, variables, mapping } = userGroup;
    const authorization = `Bearer ${await viewer.getToken()}`;
    const sales = await fetch("/sales", { headers: { authorization } });
    if (!sales.ok) throw new Error("The data could not be loaded.");
    const data = await sales.json();
    // A later change is shown already.
    if (userGroup !== viewer.state.userGroup) return;
    drawChart(data, variables);
    // As text, never as HTML: a group's content is user input.
    const entries = Object.entries(variables);
    find("variables").replaceChildren(
      ...entries.flatMap(([key, value]) => [element("dt", key), element("dd", String(value))]),
    );
    find("mapping").replaceChildren(
      ...mapping.map(({ schemaId, dataSource }) => element("li", `${schemaId}: ${dataSource.providedId}`)),
    );
    find("status").textContent = `Shown for ${name}`;
  } catch (failure) {
    const reason = failure instanceof ViewerError ? failure.code : "network";
    find("status").textContent = signedOut
      ? "Please sign in again."
      : `The dashboard could not be loaded (${reason}).`;
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
