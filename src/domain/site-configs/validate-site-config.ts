import type { JsonValue } from "../shared/json.js";
import { checkBasicAuth } from "./auth-check.js";
import { treeOfDocument } from "./document/document.js";
import { LineIndex } from "./document/line-index.js";
import { checkStorable } from "./document/storable-check.js";
import { treeOfText } from "./document/text.js";
import type { ConfigNode } from "./document/tree.js";
import { FindingCollector } from "./finding-collector.js";
import { SITE_CONFIG } from "./format.js";
import { checkLinks } from "./link-check.js";
import type { SiteConfigReport } from "./report.js";
import { checkShape } from "./shape-check.js";
import { checkVersions } from "./version-check.js";

export interface SiteConfigOptions {
  /** Treat warnings, but not notices, as errors. */
  readonly strict: boolean;
}

/** Invisible in editors. */
const BYTE_ORDER_MARK = "\ufeff";

/** Validates the text of a site configuration; findings have line and column. Takes linear time. */
export function validateSiteConfigText(text: string, options: SiteConfigOptions): SiteConfigReport {
  const findings = new FindingCollector();
  const json = withoutByteOrderMark(text);
  if (json !== text) {
    const message = "The text must not start with a byte order mark (U+FEFF); save it as UTF-8 without BOM.";
    findings.add("byte_order_mark", { pointer: "", offset: 0 }, message);
  }
  const tree = treeOfText(json, findings);
  if (tree) checkTree(tree, findings);
  return findings.report(options, () => new LineIndex(json));
}

/** Removes the byte order mark, as editors do, so that the lines and columns of findings match. */
export function withoutByteOrderMark(text: string): string {
  return text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text;
}

/** Validates a parsed site configuration; findings have no line and column. */
export function validateSiteConfigDocument(
  document: JsonValue,
  options: SiteConfigOptions,
): SiteConfigReport {
  const findings = new FindingCollector();
  const tree = treeOfDocument(document, findings);
  if (tree) checkTree(tree, findings);
  return findings.report(options);
}

function checkTree(tree: ConfigNode, findings: FindingCollector): void {
  checkStorable(tree, "", findings);
  checkShape(tree, SITE_CONFIG, findings);
  if (tree.type !== "object") return;
  checkLinks(tree, findings);
  checkVersions(tree, findings);
  checkBasicAuth(tree, findings);
}
