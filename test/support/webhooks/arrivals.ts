import { Webhook } from "standardwebhooks";
import type { Answer, Received } from "./receiver.js";

/** The user group events that a webhook endpoint received. */
export class WebhookArrivals {
  /** The IDs of the events. */
  readonly ids = new Set<string>();
  /** Invalid signatures, and events of a group in the wrong order. */
  readonly faults: unknown[] = [];
  readonly #versions = new Map<number, number>();
  #verifier: Webhook | undefined;

  expectSecret(secret: string): void {
    this.#verifier = new Webhook(secret);
  }

  note({ headers, body, event }: Received): Answer {
    try {
      if (!this.#verifier) throw new Error("Nothing was expected yet.");
      this.#verifier.verify(body, headers);
    } catch (error) {
      this.faults.push(error);
    }
    if (headers["webhook-id"] !== event.id) this.faults.push(event);
    if (!this.ids.has(event.id)) this.#noteFirst(event.data.userGroup, event);
    this.ids.add(event.id);
    return { status: 204 };
  }

  #noteFirst(
    { teamId, version }: { readonly teamId: number; readonly version: number },
    event: unknown,
  ): void {
    if (version < (this.#versions.get(teamId) ?? 0)) this.faults.push(event);
    this.#versions.set(teamId, version);
  }
}
