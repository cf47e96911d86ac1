import { pointerTo, quote } from "./document/json-pointer.js";
import type { ObjectNode, StringNode } from "./document/tree.js";
import type { FindingCollector } from "./finding-collector.js";
import { pagesOf } from "./navigation-walk.js";

const LISTS = ["anchors", "tabs"] as const;
/** A scheme or a host: the URL of another site. */
const ELSEWHERE = /^(?:[a-z][a-z0-9+.-]*:|\/\/)/i;
/** Segments of a URL that are compared with redirects of whole folders; more would take quadratic time. */
const MAX_SEGMENTS = 32;

interface Link {
  readonly list: (typeof LISTS)[number];
  readonly pointer: string;
  readonly url: StringNode;
  /** Path without slashes at its ends. */
  readonly path: string;
}

/** Finds anchors and tabs of this site whose URL is the start of no page path. */
export function checkLinks(root: ObjectNode, findings: FindingCollector): void {
  const pages = pagesOf(root);
  // The pages of an invalid group are unknown; its error is already reported.
  if (!pages) return;
  const links = LISTS.flatMap((list) => linksOf(root, list));
  const redirects = redirectsOf(root);
  const sorted = [...pages.map(pathOf), ...redirects.paths].toSorted(byCodeUnits);
  const base = basePathOf(links, sorted);
  for (const { list, pointer, url, path } of links) {
    const own = path.slice(base.length);
    if (isPrefix(own, sorted) || isPrefix(path, sorted) || isRedirected(path, redirects.folders)) continue;
    const message = () =>
      `No page path starts with ${quote(url.value)}, so ${list === "tabs" ? "the tab" : "the anchor"} is empty.`;
    findings.add("unmatched_url", { pointer, offset: url.offset }, message);
  }
}

/** Returns the links to pages of this site, without those whose pages are generated from an OpenAPI file. */
function linksOf(root: ObjectNode, list: Link["list"]): Link[] {
  const node = root.members.get(list)?.value;
  if (node?.type !== "array") return [];
  return node.items.flatMap((item, index) => {
    if (item.type !== "object" || item.members.has("openapi")) return [];
    const url = item.members.get("url")?.value;
    if (url?.type !== "string" || ELSEWHERE.test(url.value)) return [];
    return [{ list, pointer: pointerTo(pointerTo(`/${list}`, index), "url"), url, path: pathOf(url.value) }];
  });
}

/** Returns the path below which the site is served, if all links start with it and no page does; with its slash, or empty. */
function basePathOf(links: readonly Link[], sorted: readonly string[]): string {
  const [first] = links;
  const base = first?.path.includes("/") ? `${first.path.split("/", 1)[0]}/` : "";
  if (base === "" || isPrefix(base, sorted)) return "";
  return links.every(({ path }) => path.startsWith(base)) ? base : "";
}

/** Returns the sources of redirects: single paths, and folders such as `old/:path*`. */
function redirectsOf(root: ObjectNode): {
  readonly paths: readonly string[];
  readonly folders: ReadonlySet<string>;
} {
  const paths: string[] = [];
  const folders = new Set<string>();
  const node = root.members.get("redirects")?.value;
  for (const item of node?.type === "array" ? node.items : []) {
    const source = item.type === "object" ? item.members.get("source")?.value : undefined;
    if (source?.type !== "string") continue;
    const [fixed = "", ...pattern] = source.value.split(/[:*]/);
    if (pattern.length === 0) paths.push(pathOf(fixed));
    else folders.add(pathOf(fixed));
  }
  return { paths, folders };
}

function isRedirected(path: string, folders: ReadonlySet<string>): boolean {
  const segments = path.split("/", MAX_SEGMENTS);
  return folders.size > 0 && segments.some((_, index) => folders.has(segments.slice(0, index + 1).join("/")));
}

/** @param sorted sorted paths */
function isPrefix(prefix: string, sorted: readonly string[]): boolean {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (byCodeUnits(sorted[middle] ?? "", prefix) < 0) low = middle + 1;
    else high = middle;
  }
  return sorted[low]?.startsWith(prefix) ?? false;
}

/** Returns the path of a URL or page without slashes at its ends, query and fragment. */
function pathOf(url: string): string {
  const [path = ""] = url.split(/[?#]/, 1);
  let end = path.length;
  while (path[end - 1] === "/") end -= 1;
  return path.slice(0, end).replace(/^\/+/, "");
}

function byCodeUnits(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
