const ENTITIES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

/** Keep pages of other origins from a page that may hold the key: they can neither embed it nor reach its window. */
export const DEMO_KEY_HEADERS = {
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
} as const;

/**
 * Writes the attribute by which a page gets the demo account's key.
 * @param demoKey readable by everyone who gets this page; none if undefined
 * @returns the attribute with a space in front, or nothing
 */
export function demoKeyAttribute(demoKey: string | undefined): string {
  return demoKey === undefined ? "" : ` data-demo-key="${escapeHtml(demoKey)}"`;
}

function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"]/g, (character) => ENTITIES[character] ?? character);
}
