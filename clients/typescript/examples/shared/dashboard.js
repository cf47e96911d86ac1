// Runs in the browser and reads one user group with its token.
import { createViewer, ViewerError } from "/assets/user-groups-client.js";

const { url, token } = JSON.parse(find("viewer").textContent ?? "");
const viewer = createViewer({ url, token, renewToken });

find("refresh").addEventListener("click", show);
await show();

/** Fetches the signed-in customer's current token from our server. */
async function renewToken() {
  const reply = await fetch("/user-group-token");
  if (!reply.ok) throw new Error("Please sign in again.");
  return (await reply.json()).token;
}

async function show() {
  try {
    const { name, properties, mapping } = await viewer.read();
    // As text, never as HTML: a group's content is user input.
    const entries = Object.entries(properties ?? {});
    find("properties").replaceChildren(
      ...entries.flatMap(([key, value]) => [element("dt", key), element("dd", String(value))]),
    );
    find("mapping").replaceChildren(
      ...mapping.map(({ schemaId, dataSource }) => element("li", `${schemaId}: ${dataSource.name}`)),
    );
    find("status").textContent = `Shown for ${name}`;
  } catch (error) {
    const reason = error instanceof ViewerError ? error.code : "sign in again";
    find("status").textContent = `The dashboard could not be loaded (${reason}).`;
  }
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
