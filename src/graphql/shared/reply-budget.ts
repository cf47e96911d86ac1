import { DomainError } from "../../domain/shared/errors.js";
import type { SiteConfigReport } from "../../domain/site-configs/report.js";

/** How many groups, mapping entries, findings and other items of lists one reply may have (decision 29). */
const MAX_ITEMS = 50_000;

/** So many bytes of documents and their texts count as one item. */
const BYTES_PER_ITEM = 256;

/** Free-form JSON costs so much for each KiB of its text that is begun; the first one is in the cost of the operation (decision 27). */
export const JSON_COST_PER_KIB = 20;
const KIB = 1024;

/** What one reply may have. */
export interface ReplyLimits {
  /** What the operation may cost, and how much of that its fields leave for the size of properties. */
  readonly costLimit: number;
  readonly costLeft: number;
  readonly bytes: number;
}

const UNLIMITED: ReplyLimits = {
  costLimit: Number.POSITIVE_INFINITY,
  costLeft: Number.POSITIVE_INFINITY,
  bytes: Number.POSITIVE_INFINITY,
};

/** Counts what no limit on a query's text can foresee: what goes into one reply, and the documents that are worked on for it. */
export class ReplyBudget {
  #limits: ReplyLimits;
  #spent = 0;
  #bytes = 0;
  #jsonCost = 0;

  constructor(limits = UNLIMITED) {
    this.#limits = limits;
  }

  /** Begins a reply: an operation's, or with the same limits that of a further event. */
  begin(limits = this.#limits): void {
    this.#limits = limits;
    this.#spent = 0;
    this.#bytes = 0;
    this.#jsonCost = 0;
  }

  /** A budget for another attempt at the same reply. */
  again(): ReplyBudget {
    return new ReplyBudget(this.#limits);
  }

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

  /** Counts bytes of texts that go into the reply. @throws DomainError as `spend` does */
  spendReplyBytes(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes > this.#limits.bytes) throw replyTooLarge(this.#limits.bytes);
  }

  /** Counts the properties of a group by the size of their JSON text. @throws DomainError as `spend` does */
  spendProperties(bytes: number): void {
    this.spendReplyBytes(bytes);
    this.#jsonCost += JSON_COST_PER_KIB * Math.max(Math.ceil(bytes / KIB) - 1, 0);
    const { costLeft, costLimit } = this.#limits;
    if (this.#jsonCost <= costLeft) return;
    throw new DomainError(
      "query_too_expensive",
      `The query costs more than ${costLimit} with the size of its properties. Ask for fewer groups at once.`,
      { figures: { limit: costLimit } },
    );
  }

  /** Keeps work from being done for a reply that is refused already. @throws DomainError as `spend` does */
  requireRest(): void {
    if (this.#spent <= MAX_ITEMS) return;
    throw new DomainError("query_too_expensive", `The reply would have more than ${MAX_ITEMS} items.`, {
      figures: { limit: MAX_ITEMS },
    });
  }
}

/** The error of a reply that has too many bytes. */
export function replyTooLarge(limit: number): DomainError {
  return new DomainError("query_too_expensive", `The reply would have more than ${limit} bytes.`, {
    figures: { limit },
  });
}

/** Says whether a text has more bytes in UTF-8 than that. */
export function isLargerThan(text: string, bytes: number): boolean {
  // A UTF-16 unit takes one to three bytes, so only lengths between the two bounds need counting.
  return text.length > bytes || (text.length * 3 > bytes && Buffer.byteLength(text) > bytes);
}
