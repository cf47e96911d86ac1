import {
  type SiteConfigOptions,
  type SiteConfigReport,
  validateSiteConfig,
  withoutPositions,
} from "@user-groups/site-config";
import type { FieldPath } from "../shared/errors.js";
import type { JsonValue } from "../shared/json.js";
import { parseJsonValue } from "../shared/json-value.js";
import { mergePatchText } from "../shared/merge-patch.js";
import { MAX_SITE_CONFIG_BYTES, requireSize } from "./site-config.js";

/** A value from a JSON or GraphQL parser that is small enough to be stored. */
export interface SubmittedJson {
  readonly value: unknown;
  /** Path in the input. */
  readonly field: FieldPath;
  /** Size in bytes without insignificant white space. */
  readonly size: number;
}

export type DocumentSource = { readonly text: string } | SubmittedJson;

// Unstorable text is reported by the validator, together with all other findings.
const RULES = { storable: false } as const;

/** @throws DomainError `invalid_field` for a value that is too large or too deep */
export function measureJson(value: unknown, field: FieldPath): SubmittedJson {
  const json = stringify(value, field);
  requireSize(json, field);
  return { value, field, size: Buffer.byteLength(json) };
}

/** Validates the numbers and the depth of a value. @throws DomainError `invalid_field` */
function parseSubmittedJson({ value, field }: SubmittedJson): JsonValue {
  return parseJsonValue(value, field, RULES);
}

function stringify(value: unknown, field: FieldPath): string {
  try {
    return JSON.stringify(value);
  } catch (error) {
    // The value is nested too deeply for the stack; parseJsonValue throws a validation error at a lower depth.
    if (error instanceof RangeError) return JSON.stringify(parseJsonValue(value, field, RULES));
    throw error;
  }
}

/** A document to store, with its validation report. */
export interface CheckedText {
  readonly report: SiteConfigReport;
  /** Null if the document has errors. */
  readonly text: string | null;
}

/** Validates a document and formats it to be stored; a text stays as it is. @throws DomainError `invalid_field` for JSON that is too deep or too large */
export function checkSource(source: DocumentSource, options: SiteConfigOptions): CheckedText {
  if (!("text" in source)) return checkFormatted(printDocument(parseSubmittedJson(source)), options);
  const report = validateSiteConfig(source.text, options);
  return { report, text: report.valid ? source.text : null };
}

/** Applies a JSON Merge Patch to a stored text. @throws DomainError `invalid_field` for a patch that is too deep, or a result that is too large */
export function patchText(text: string, patch: SubmittedJson, options: SiteConfigOptions): CheckedText {
  const json = JSON.stringify(parseSubmittedJson(patch));
  const patched = mergePatchText(text, json, MAX_SITE_CONFIG_BYTES);
  requireSize(patched, patch.field);
  return checkFormatted(patched, options);
}

/** Validates a text that the client has never seen. */
function checkFormatted(text: string, options: SiteConfigOptions): CheckedText {
  const report = withoutPositions(validateSiteConfig(text, options));
  return { report, text: report.valid ? text : null };
}

/** Formats a document: indented by two spaces if the result is small enough to store, otherwise on one line. */
export function printDocument(document: JsonValue): string {
  const indented = `${JSON.stringify(document, null, 2)}\n`;
  return Buffer.byteLength(indented) <= MAX_SITE_CONFIG_BYTES ? indented : JSON.stringify(document);
}
