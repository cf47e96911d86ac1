import type { JsonValue } from "../shared/json.js";
import { diffJson, type JsonPatchOperation } from "./document/json-diff.js";
import { mergePatchText } from "./document/merge-patch.js";
import { printDocument } from "./document/text-layout.js";
import { type DocumentSource, parseSerializedJson, type SerializedJson } from "./document-source.js";
import { type SiteConfigReport, withoutPositions } from "./report.js";
import { requireSize } from "./site-config.js";
import {
  type SiteConfigOptions,
  validateSiteConfigDocument,
  validateSiteConfigText,
} from "./validate-site-config.js";

/** Inputs of the tasks that take long for large site configurations. */
export interface TaskInputs {
  /** Validates a document. */
  readonly check: SiteConfigOptions & { readonly source: DocumentSource };
  /** Validates and formats a document before it is stored. */
  readonly prepare: SiteConfigOptions & { readonly source: DocumentSource };
  /** Applies a JSON Merge Patch to a stored text. */
  readonly patch: SiteConfigOptions & { readonly text: string; readonly patch: SerializedJson };
  /** Compares two stored texts. */
  readonly diff: { readonly from: string; readonly to: string };
}

/** A document or patch result, with its validation report. */
interface CheckedText {
  readonly report: SiteConfigReport;
  /** Null if the document has errors, or was sent as text, which is stored unchanged. */
  readonly serialized: string | null;
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
      : validateSiteConfigDocument(parseSerializedJson(source), { strict }),
  prepare({ source, strict }) {
    if ("text" in source)
      return { report: validateSiteConfigText(source.text, { strict }), serialized: null };
    const document = parseSerializedJson(source);
    const report = validateSiteConfigDocument(document, { strict });
    if (!report.valid) return { report, serialized: null };
    const serialized = printDocument(document);
    requireSize(serialized, source.field);
    return { report, serialized };
  },
  patch({ text, patch, strict }) {
    const serialized = mergePatchText(text, parseSerializedJson(patch));
    requireSize(serialized, patch.field);
    const report = withoutPositions(validateSiteConfigText(serialized, { strict }));
    return { report, serialized: report.valid ? serialized : null };
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
