import { setImmediate as nextTurn } from "node:timers/promises";
import type { JsonValue } from "../../domain/shared/json.js";
import type { JsonPatchOperation } from "../../domain/site-configs/document/json-diff.js";
import type { SiteConfigReport } from "../../domain/site-configs/report.js";
import type { SiteConfigWork } from "../../services/site-configs/work.js";

/** The text of a revision, with memoized results derived from it. */
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

  report(strict: boolean): Promise<SiteConfigReport> {
    return getOrCreate(this.#reports, strict, () =>
      this.#work.run("check", { source: { text: this.text }, strict }),
    );
  }

  diffTo(other: SiteConfigText): Promise<readonly JsonPatchOperation[]> {
    return getOrCreate(this.#diffs, other, () => this.#work.run("diff", { from: this.text, to: other.text }));
  }
}

function getOrCreate<Key, Value>(cache: Map<Key, Value>, key: Key, create: () => Value): Value {
  const cached = cache.get(key);
  if (cached !== undefined) return cached;
  const created = create();
  cache.set(key, created);
  return created;
}

/** Parses in a separate turn of the event loop: a document may take 0.1 s, and a reply may contain several. */
async function parse(text: string): Promise<JsonValue> {
  await nextTurn();
  return JSON.parse(text);
}
