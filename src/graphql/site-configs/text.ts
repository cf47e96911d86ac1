import { setImmediate as nextTurn } from "node:timers/promises";
import type { JsonValue } from "../../domain/shared/json.js";
import type { JsonPatchOperation } from "../../domain/site-configs/document/json-diff.js";
import type { SiteConfigReport } from "../../domain/site-configs/report.js";
import type { SiteConfigWork } from "../../services/site-configs/work.js";

/** The text of a revision; what is made of it is made at most once. */
export class SiteConfigText {
  readonly text: string;
  readonly #work: SiteConfigWork;
  #document: Promise<JsonValue> | undefined;
  readonly #reports = new Map<boolean, Promise<SiteConfigReport>>();
  readonly #diffs = new Map<SiteConfigText, Promise<readonly JsonPatchOperation[]>>();

  constructor(text: string, work: SiteConfigWork) {
    this.text = text;
    this.#work = work;
  }

  document(): Promise<JsonValue> {
    this.#document ??= parse(this.text);
    return this.#document;
  }

  /** What a check finds. */
  report(strict: boolean): Promise<SiteConfigReport> {
    return once(this.#reports, strict, () =>
      this.#work.run("check", { source: { text: this.text }, strict }),
    );
  }

  /** What changed from this text to another. */
  diffTo(other: SiteConfigText): Promise<readonly JsonPatchOperation[]> {
    return once(this.#diffs, other, () => this.#work.run("diff", { from: this.text, to: other.text }));
  }
}

function once<Key, Made>(made: Map<Key, Made>, key: Key, make: () => Made): Made {
  const known = made.get(key);
  if (known !== undefined) return known;
  const fresh = make();
  made.set(key, fresh);
  return fresh;
}

/** Lets other requests run before each document: one may take 0.1 s, and a reply may hold several. */
async function parse(text: string): Promise<JsonValue> {
  await nextTurn();
  return JSON.parse(text);
}
