import { pointerTo, quote } from "./document/json-pointer.js";
import type { ObjectNode } from "./document/tree.js";
import type { FindingCollector } from "./finding-collector.js";
import { pagesOf } from "./navigation-walk.js";

const LISTS = ["anchors", "tabs"] as const;

/** Finds anchors and tabs whose URL is not a prefix of any page path. */
export function checkLinks(root: ObjectNode, findings: FindingCollector): void {
  const pages = pagesOf(root);
  // The pages of an invalid group are unknown; its error is already reported.
  if (!pages) return;
  const sorted = pages.map((page) => page.replace(/^\/+/, "")).toSorted(byCodeUnits);
  for (const list of LISTS) {
    const node = root.members.get(list)?.value;
    if (node?.type !== "array") continue;
    node.items.forEach((item, index) => {
      const url = item.type === "object" ? item.members.get("url")?.value : undefined;
      if (url?.type !== "string" || matches(url.value, sorted)) return;
      const pointer = pointerTo(pointerTo(`/${list}`, index), "url");
      const message = () =>
        `No page path starts with ${quote(url.value)}, so ${list === "tabs" ? "the tab" : "the anchor"} is empty.`;
      findings.add("unmatched_url", { pointer, offset: url.offset }, message);
    });
  }
}

/** @param sorted sorted paths of all pages */
function matches(url: string, sorted: readonly string[]): boolean {
  if (/^(?:[a-z][a-z0-9+.-]*:|\/\/)/i.test(url)) return true;
  const prefix = pathOf(url);
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (byCodeUnits(sorted[middle] ?? "", prefix) < 0) low = middle + 1;
    else high = middle;
  }
  return sorted[low]?.startsWith(prefix) ?? false;
}

function pathOf(url: string): string {
  const [path = ""] = url.split(/[?#]/, 1);
  let end = path.length;
  while (path[end - 1] === "/") end -= 1;
  return path.slice(0, end).replace(/^\/+/, "");
}

function byCodeUnits(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
