import { setImmediate as nextTurn } from "node:timers/promises";
import type { JsonValue } from "../../domain/shared/json.js";
import type { JsonPatchOperation } from "../../domain/site-configs/document/json-diff.js";
import type { SiteConfigReport } from "../../domain/site-configs/findings.js";
import type { SiteConfigService } from "../../services/site-configs/service.js";
import type { ReplyBudget } from "../shared/reply-budget.js";

/** The text of a revision, with memoized results derived from it. */
export class SiteConfigText {
  readonly text: string;
  readonly #service: SiteConfigService;
  readonly #budget: ReplyBudget;
  #document: Promise<JsonValue> | undefined;
  readonly #reports = new Map<boolean, Promise<SiteConfigReport>>();
  readonly #diffs = new Map<SiteConfigText, Promise<readonly JsonPatchOperation[]>>();

  constructor(text: string, service: SiteConfigService, budget: ReplyBudget) {
    this.text = text;
    this.#service = service;
    this.#budget = budget;
  }

  document(): Promise<JsonValue> {
    this.#document ??= parse(this.text);
    return this.#document;
  }

  report(strict: boolean): Promise<SiteConfigReport> {
    return getOrCreate(this.#reports, strict, () =>
      this.#service.check({ text: this.text }, { strict }, this.#budget),
    );
  }

  diffTo(other: SiteConfigText): Promise<readonly JsonPatchOperation[]> {
    return getOrCreate(this.#diffs, other, () => this.#service.diff(this.text, other.text));
  }
}

function getOrCreate<Key, Value>(cache: Map<Key, Value>, key: Key, create: () => Value): Value {
  const cached = cache.get(key);
  if (cached !== undefined) return cached;
  const created = create();
  cache.set(key, created);
  return created;
}

/** Parses in a separate turn of the event loop: a document takes milliseconds, and a reply may contain several. */
async function parse(text: string): Promise<JsonValue> {
  await nextTurn();
  return JSON.parse(text);
}
