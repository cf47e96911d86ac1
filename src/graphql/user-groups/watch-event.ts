import { DomainError } from "../../domain/shared/errors.js";
import type { UserGroupChangeView } from "./change-type.js";

/** An event for a subscriber: a change, or finally the error that ends the stream. */
export class WatchEvent {
  readonly #content: UserGroupChangeView | DomainError;
  /** Identifies a change delivered to several subscribers; undefined for an event of this subscriber only. */
  readonly shared: object | undefined;
  /** Returns whether the event may still be delivered. */
  readonly isCurrent: () => boolean;

  constructor(
    content: UserGroupChangeView | DomainError,
    shared?: object,
    isCurrent: () => boolean = () => true,
  ) {
    this.#content = content;
    this.shared = shared;
    this.isCurrent = isCurrent;
  }

  /** The code of the error that ends the stream, if this is the final event. */
  get errorCode(): DomainError["code"] | undefined {
    return this.#content instanceof DomainError ? this.#content.code : undefined;
  }

  /** @throws DomainError that ends the stream, if this is the final event */
  get change(): UserGroupChangeView {
    if (this.#content instanceof DomainError) throw this.#content;
    return this.#content;
  }
}
