import { FindingCollector, type FindingPlace, type SiteConfigReport } from "./findings.js";
import { SITE_CONFIG } from "./format.js";
import { treeOfText } from "./parse.js";
import { checkBasicAuth, checkLinks, checkRepeatedPages, checkVersions } from "./reference-checks.js";
import { checkShape } from "./shape-check.js";
import { type ConfigNode, pointerTo, unstorablePart } from "./tree.js";

/** Finds keys and strings at any level that PostgreSQL cannot store. */
function checkStorable(node: ConfigNode, pointer: string, findings: FindingCollector): void {
  const check = (text: string, place: FindingPlace, kind: string) => {
    const fault = unstorablePart(text);
    if (fault === null) return;
    findings.add("unstorable_text", place, `The ${kind} contains ${fault}, which cannot be stored.`);
  };
  if (node.type === "string") check(node.value, { pointer, offset: node.offset }, "string");
  if (node.type === "array") {
    node.items.forEach((item, index) => {
      checkStorable(item, pointerTo(pointer, index), findings);
    });
  }
  if (node.type === "object") {
    for (const [key, { offset, value }] of node.members) {
      const below = pointerTo(pointer, key);
      check(key, { pointer: below, offset }, "key");
      checkStorable(value, below, findings);
    }
  }
}

export interface SiteConfigOptions {
  /** Treat warnings, but not notices, as errors. */
  readonly strict: boolean;
}

/** Invisible in editors. */
const BYTE_ORDER_MARK = "\ufeff";

/** Validates the text of a site configuration; findings have line and column. Takes linear time. */
export function validateSiteConfig(
  text: string,
  options: SiteConfigOptions = { strict: false },
): SiteConfigReport {
  const findings = new FindingCollector();
  const json = withoutByteOrderMark(text);
  if (json !== text) {
    const message = "The text must not start with a byte order mark (U+FEFF); save it as UTF-8 without BOM.";
    findings.add("byte_order_mark", { pointer: "", offset: 0 }, message);
  }
  const tree = treeOfText(json, findings);
  if (tree) checkTree(tree, findings);
  return findings.report(options, json);
}

/** Removes the byte order mark, as editors do, so that the lines and columns of findings match. */
function withoutByteOrderMark(text: string): string {
  return text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text;
}

function checkTree(tree: ConfigNode, findings: FindingCollector): void {
  checkStorable(tree, "", findings);
  checkShape(tree, SITE_CONFIG, findings);
  if (tree.type !== "object") return;
  checkLinks(tree, findings);
  checkVersions(tree, findings);
  checkRepeatedPages(tree, findings);
  checkBasicAuth(tree, findings);
}
