import type { JsonValue } from "../shared/json.js";
import { diffJson, type JsonPatchOperation } from "./document/json-diff.js";
import { mergePatchText } from "./document/merge-patch.js";
import { printDocument } from "./document/text-layout.js";
import { type SiteConfigReport, withoutPositions } from "./report.js";
import { requireSize } from "./site-config.js";
import {
  type SiteConfigOptions,
  validateSiteConfigDocument,
  validateSiteConfigText,
} from "./validate-site-config.js";
import { readJson, type WrittenJson, type WrittenSource } from "./written-source.js";

/** Inputs of the tasks that take long for large site configurations. */
export interface TaskInputs {
  /** Validates a document. */
  readonly check: SiteConfigOptions & { readonly source: WrittenSource };
  /** Validates and formats a document before it is stored. */
  readonly prepare: SiteConfigOptions & { readonly source: WrittenSource };
  /** Applies a JSON Merge Patch to a stored text. */
  readonly patch: SiteConfigOptions & { readonly text: string; readonly patch: WrittenJson };
  /** Compares two stored texts. */
  readonly diff: { readonly from: string; readonly to: string };
}

/** A document or patch result, with its validation report. */
interface CheckedText {
  readonly report: SiteConfigReport;
  /** Null if the document has errors, or was sent as text, which is stored unchanged. */
  readonly written: string | null;
}

export interface TaskOutputs {
  readonly check: SiteConfigReport;
  readonly prepare: CheckedText;
  readonly patch: CheckedText;
  readonly diff: readonly JsonPatchOperation[];
}

export type TaskName = keyof TaskInputs;

export interface Task<Name extends TaskName> {
  readonly name: Name;
  readonly input: TaskInputs[Name];
}

const TASKS: { readonly [Name in TaskName]: (input: TaskInputs[Name]) => TaskOutputs[Name] } = {
  check: ({ source, strict }) =>
    "text" in source
      ? validateSiteConfigText(source.text, { strict })
      : validateSiteConfigDocument(readJson(source), { strict }),
  prepare({ source, strict }) {
    if ("text" in source) return { report: validateSiteConfigText(source.text, { strict }), written: null };
    const document = readJson(source);
    const report = validateSiteConfigDocument(document, { strict });
    if (!report.valid) return { report, written: null };
    const written = printDocument(document);
    requireSize(written, source.field);
    return { report, written };
  },
  patch({ text, patch, strict }) {
    const written = mergePatchText(text, readJson(patch));
    requireSize(written, patch.field);
    const report = withoutPositions(validateSiteConfigText(written, { strict }));
    return { report, written: report.valid ? written : null };
  },
  diff: ({ from, to }) => diffJson(parse(from), parse(to)),
};

/** Runs a task in the current thread. @throws DomainError `invalid_field` for a document or patch that is too deep or too large */
export function runTask<Name extends TaskName>({ name, input }: Task<Name>): TaskOutputs[Name] {
  return TASKS[name](input);
}

function parse(text: string): JsonValue {
  return JSON.parse(text);
}
