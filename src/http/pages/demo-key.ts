const ENTITIES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

/** Isolates a page that contains the key from other origins: they can neither embed it nor access its window. */
export const DEMO_KEY_HEADERS = {
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
} as const;

/**
 * Renders the HTML attribute that contains the demo account's API key.
 * @param demoKey readable by everyone who can load the page; undefined for none
 * @returns the attribute with a leading space, or an empty string
 */
export function demoKeyAttribute(demoKey: string | undefined): string {
  return demoKey === undefined ? "" : ` data-demo-key="${escapeHtml(demoKey)}"`;
}

function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"]/g, (character) => ENTITIES[character] ?? character);
}
