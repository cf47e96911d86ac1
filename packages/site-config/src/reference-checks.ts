import type { FindingCollector } from "./findings.js";
import { suggestion } from "./near-name.js";
import { type ConfigNode, type ObjectNode, pointerTo, quote, type StringNode } from "./tree.js";

/** Visits every group of the navigation, including nested ones. */
function visitGroups(root: ObjectNode, visitor: (group: ObjectNode, pointer: string) => void): void {
  const visit = (list: ConfigNode | undefined, pointer: string): void => {
    if (list?.type !== "array") return;
    list.items.forEach((item, index) => {
      if (item.type !== "object") return;
      const place = pointerTo(pointer, index);
      visitor(item, place);
      visit(item.members.get("pages")?.value, `${place}/pages`);
    });
  };
  visit(root.members.get("navigation")?.value, "/navigation");
}

/** Returns the paths of all pages as written; null if part of the navigation is invalid. */
function pagesOf(root: ObjectNode): string[] | null {
  const pages: string[] = [];
  const collect = (list: ConfigNode | undefined, level: number): boolean =>
    list?.type === "array" &&
    list.items.length > 0 &&
    list.items.every((item) => {
      if (item.type === "object") return collect(item.members.get("pages")?.value, level + 1);
      if (item.type !== "string" || level === 0) return false;
      pages.push(item.value);
      return true;
    });
  return collect(root.members.get("navigation")?.value, 0) ? pages : null;
}

/** Finds pages that are listed more than once. */
export function checkRepeatedPages(root: ObjectNode, findings: FindingCollector): void {
  const seen = new Set<string>();
  visitGroups(root, (group, pointer) => {
    const pages = group.members.get("pages")?.value;
    if (pages?.type !== "array") return;
    pages.items.forEach((page, index) => {
      if (page.type !== "string") return;
      const path = pathOf(page.value);
      const place = { pointer: pointerTo(`${pointer}/pages`, index), offset: page.offset };
      if (seen.has(path))
        findings.addNotice(
          "repeated_page",
          "repeated_page",
          place,
          () => `The page ${quote(page.value)} is listed more than once.`,
        );
      seen.add(path);
    });
  });
}

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

/** No suggestions beyond this number of versions: comparing all names would take too long. */
const MAX_SUGGESTED = 50;

/** Finds groups and anchors whose version is not in `versions`. */
export function checkVersions(root: ObjectNode, findings: FindingCollector): void {
  const listed = listedVersions(root);
  if (!listed) return;
  const check = (owner: ObjectNode, pointer: string) => {
    const version = owner.members.get("version")?.value;
    if (version?.type !== "string" || listed.has(version.value)) return;
    const message = () => {
      const hint = listed.size > MAX_SUGGESTED ? "" : suggestion(version.value, listed);
      return `"versions" does not list ${quote(version.value)}.${hint}`;
    };
    findings.add("unlisted_version", { pointer: `${pointer}/version`, offset: version.offset }, message);
  };
  visitGroups(root, check);
  const anchors = root.members.get("anchors")?.value;
  if (anchors?.type !== "array") return;
  anchors.items.forEach((anchor, index) => {
    if (anchor.type === "object") check(anchor, `/anchors/${index}`);
  });
}

/** @returns null if part of the list is invalid */
function listedVersions(root: ObjectNode): ReadonlySet<string> | null {
  const versions = root.members.get("versions")?.value;
  if (!versions) return new Set();
  if (versions.type !== "array") return null;
  const names = versions.items.map((item) => {
    const name = item.type === "object" ? item.members.get("name")?.value : item;
    return name?.type === "string" ? name.value : null;
  });
  const known = names.filter((name) => name !== null);
  return known.length === names.length ? new Set(known) : null;
}

/** Finds a name for basic authentication that does not name both parameters. */
export function checkBasicAuth(root: ObjectNode, findings: FindingCollector): void {
  const auth = memberOf(memberOf(root, "api"), "auth");
  const method = memberOf(auth, "method");
  const name = memberOf(auth, "name");
  if (method?.type !== "string" || method.value !== "basic") return;
  if (name?.type !== "string" || name.value.includes(":")) return;
  const place = { pointer: "/api/auth/name", offset: name.offset };
  findings.add("basic_auth_name", place, () => {
    const form = '"[usernameName]:[passwordName]"';
    return `"name" should have the form ${form} for basic authentication, not ${quote(name.value)}.`;
  });
}

function memberOf(node: ConfigNode | undefined, name: string): ConfigNode | undefined {
  return node?.type === "object" ? node.members.get(name)?.value : undefined;
}
