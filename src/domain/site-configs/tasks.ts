import { mergePatchText } from "./document/merge-patch.js";
import { printDocument } from "./document/text-layout.js";
import { type DocumentSource, parseSubmittedJson, type SubmittedJson } from "./document-source.js";
import { type SiteConfigReport, withoutPositions } from "./report.js";
import { requireSize } from "./site-config.js";
import {
  type SiteConfigOptions,
  validateSiteConfigDocument,
  validateSiteConfigText,
} from "./validate-site-config.js";

/** A document to store, with its validation report. */
export interface CheckedText {
  readonly report: SiteConfigReport;
  /** Null if the document has errors. */
  readonly text: string | null;
}

/** Validates a document and formats it to be stored; a text stays as it is. @throws DomainError `invalid_field` for JSON that is too deep or too large */
export function checkSource(source: DocumentSource, options: SiteConfigOptions): CheckedText {
  if ("text" in source) {
    const { text } = source;
    const report = validateSiteConfigText(text, options);
    return { report, text: report.valid ? text : null };
  }
  const document = parseSubmittedJson(source);
  const report = validateSiteConfigDocument(document, options);
  return { report, text: report.valid ? printDocument(document) : null };
}

/** Applies a JSON Merge Patch to a stored text. @throws DomainError `invalid_field` for a patch that is too deep, or a result that is too large */
export function patchText(text: string, patch: SubmittedJson, options: SiteConfigOptions): CheckedText {
  const patched = mergePatchText(text, parseSubmittedJson(patch));
  requireSize(patched, patch.field);
  const report = withoutPositions(validateSiteConfigText(patched, options));
  return { report, text: report.valid ? patched : null };
}
