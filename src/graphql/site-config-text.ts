import type { JsonValue } from "../domain/json.js";
import { diffJson, type JsonPatchOperation } from "../domain/site-config/json-diff.js";
import type { SiteConfigReport } from "../domain/site-config/site-config-report.js";
import { validateSiteConfigText } from "../domain/site-config/validate-site-config.js";

/** The text of a revision; what is made of it is made at most once. */
export class SiteConfigText {
  readonly text: string;
  #document: JsonValue | undefined;
  readonly #reports = new Map<boolean, SiteConfigReport>();
  readonly #diffs = new Map<SiteConfigText, readonly JsonPatchOperation[]>();

  constructor(text: string) {
    this.text = text;
  }

  get document(): JsonValue {
    this.#document ??= parse(this.text);
    return this.#document;
  }

  /** What a check finds. */
  report(strict: boolean): SiteConfigReport {
    return once(this.#reports, strict, () => validateSiteConfigText(this.text, { strict }));
  }

  /** What changed from this text to another. */
  diffTo(other: SiteConfigText): readonly JsonPatchOperation[] {
    return once(this.#diffs, other, () => diffJson(this.document, other.document));
  }
}

function once<Key, Made>(made: Map<Key, Made>, key: Key, make: () => Made): Made {
  const known = made.get(key);
  if (known !== undefined) return known;
  const fresh = make();
  made.set(key, fresh);
  return fresh;
}

function parse(text: string): JsonValue {
  return JSON.parse(text);
}
