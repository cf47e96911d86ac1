import { DomainError } from "../domain/errors.js";
import type { SiteConfigReport } from "../domain/site-config/site-config-report.js";

/** How many groups, mapping entries, findings and other items of lists one reply may have (decision 29). */
const MAX_ITEMS = 50_000;

/** So many bytes of documents and their texts count as one item. */
const BYTES_PER_ITEM = 256;

/** Counts what no limit on a query's text can foresee: what goes into one reply, and the documents that are worked on for it. */
export class ReplyBudget {
  #spent = 0;

  /** Counts items of a list that goes into the reply. @throws DomainError `query_too_expensive` when it becomes too much */
  spend(items: number): void {
    this.#spent += items;
    this.requireRest();
  }

  /** Counts what a check found, which took its time: what was checked stays so, but more may be refused. */
  noteFindings({ errors, warnings }: SiteConfigReport): void {
    this.#spent += errors.length + warnings.length;
  }

  /** Counts a document that is read, checked or written. @throws DomainError as `spend` does */
  spendBytes(bytes: number): void {
    this.spend(bytes / BYTES_PER_ITEM);
  }

  /** Counts a text of any length that goes into the reply. @returns the text @throws DomainError as `spend` does */
  spendText(text: string): string {
    this.spendBytes(Buffer.byteLength(text));
    return text;
  }

  /** Keeps work from being done for a reply that is refused already. @throws DomainError as `spend` does */
  requireRest(): void {
    if (this.#spent <= MAX_ITEMS) return;
    throw new DomainError("query_too_expensive", `The reply would have more than ${MAX_ITEMS} items.`, {
      figures: { limit: MAX_ITEMS },
    });
  }
}
