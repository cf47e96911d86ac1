import type { SiteConfigReport } from "@user-groups/site-config";
import { DomainError } from "../../domain/shared/errors.js";
import { MAX_REPLY_ITEMS, type Page, tooManyItems } from "../../domain/shared/pagination.js";

/** Bytes of documents and texts that count as one item. */
const BYTES_PER_ITEM = 256;

/** Items that make a reply large: 256 KiB. */
const LARGE_REPLY_ITEMS = 1_024;

/** Cost per started KiB of free-form JSON; the cost of the operation includes the first KiB (decision 27). */
export const JSON_COST_PER_KIB = 20;
const KIB = 1024;

/** Schema extension of types whose list items are counted by the reply budget at run time, at any nesting (decision 27). */
export const COUNTS_ITEMS = "countsItems";

/** Schema extension of types: the cost of each field without a selection, if it is not 1. */
export const LEAF_COST = "leafCost";

export interface ReplyLimits {
  /** Maximum cost of the operation. */
  readonly costLimit: number;
  /** Cost left for the size of properties after the operation's fields. */
  readonly costLeft: number;
  readonly bytes: number;
}

const UNLIMITED: ReplyLimits = {
  costLimit: Number.POSITIVE_INFINITY,
  costLeft: Number.POSITIVE_INFINITY,
  bytes: Number.POSITIVE_INFINITY,
};

/** Limits what static query analysis cannot predict: the size of a reply and the documents processed for it. */
export class ReplyBudget {
  #spent = 0;
  #bytes = 0;
  #jsonCost = 0;

  constructor(private limits = UNLIMITED) {}

  /** Resets the budget for a new reply; subscription events keep the limits of the operation. */
  begin(limits = this.limits): void {
    this.limits = limits;
    this.#spent = 0;
    this.#bytes = 0;
    this.#jsonCost = 0;
  }

  /** Whether the reply takes noticeable time to serialize. */
  get isLarge(): boolean {
    return Math.max(this.#bytes / BYTES_PER_ITEM, this.#spent) >= LARGE_REPLY_ITEMS;
  }

  /** Returns an unused budget with the same limits, for another attempt at the same reply. */
  copyLimits(): ReplyBudget {
    return new ReplyBudget(this.limits);
  }

  /** Counts list items in the reply. @throws DomainError `query_too_expensive` if the budget is exceeded */
  spend(items: number): void {
    this.#spent += items;
    if (this.#spent > MAX_REPLY_ITEMS) throw tooManyItems();
  }

  /** Counts the items of a nested list's page. @returns the page @throws like `spend` */
  spendPage<Item>(page: Page<Item>): Page<Item> {
    this.spend(page.items.length);
    return page;
  }

  /** Counts the findings of a completed check. Does not throw: only further work is rejected. */
  spendFindings({ errors, warnings, notices }: SiteConfigReport): void {
    this.#spent += errors.length + warnings.length + notices.length;
  }

  /** Counts a document that is read, checked or written. @throws like `spend` */
  spendBytes(bytes: number): void {
    this.spend(bytes / BYTES_PER_ITEM);
  }

  /** Counts a text of unbounded length in the reply. @returns the text @throws like `spend` */
  spendText(text: string): string {
    this.spendBytes(Buffer.byteLength(text));
    return text;
  }

  /** Counts bytes of texts in the reply. @throws like `spend` */
  spendReplyBytes(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes > this.limits.bytes) throw replyTooLarge(this.limits.bytes);
  }

  /** Charges the properties of a user group by the size of their JSON text. @throws like `spend` */
  spendProperties(bytes: number): void {
    this.spendReplyBytes(bytes);
    this.#jsonCost += JSON_COST_PER_KIB * Math.max(Math.ceil(bytes / KIB) - 1, 0);
    const { costLeft, costLimit } = this.limits;
    if (this.#jsonCost <= costLeft) return;
    throw new DomainError(
      "query_too_expensive",
      `The query costs more than ${costLimit} because of the size of the properties. Request fewer user groups at once.`,
      { details: { limit: costLimit } },
    );
  }

  /** Stops further work for a reply that is already too large. @throws like `spend` */
  requireRemaining(): void {
    if (this.#spent > MAX_REPLY_ITEMS) throw tooManyItems();
  }
}

export function replyTooLarge(limit: number): DomainError {
  const message = `The reply has more than ${limit} bytes. Request less at once.`;
  return new DomainError("query_too_expensive", message, { details: { limit } });
}

/** Returns whether a text has more than the given number of bytes in UTF-8. */
export function isLargerThan(text: string, bytes: number): boolean {
  // A UTF-16 code unit takes 1–3 bytes in UTF-8: count bytes only if the length alone does not decide.
  return text.length > bytes || (text.length * 3 > bytes && Buffer.byteLength(text) > bytes);
}
