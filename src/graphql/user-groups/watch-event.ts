import { DomainError } from "../../domain/shared/errors.js";
import type { UserGroupChangeView } from "./change-type.js";

/** What a subscriber gets next: a change, or at last why there are no more. */
export class WatchEvent {
  readonly #content: UserGroupChangeView | DomainError;
  /** What all who get the same change have in common; undefined for what is this subscriber's alone. */
  readonly shared: object | undefined;
  /** Whether it may still be delivered. */
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

  /** Whether it says that the subscriber's credentials have ended. */
  get endsAccess(): boolean {
    return this.#content instanceof DomainError && this.#content.code === "unauthenticated";
  }

  /** @throws DomainError for an event that says why there are no more */
  get change(): UserGroupChangeView {
    if (this.#content instanceof DomainError) throw this.#content;
    return this.#content;
  }
}
