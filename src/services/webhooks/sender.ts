import type { LookupAddress } from "node:dns";
import { request as httpRequest, type IncomingMessage } from "node:http";
import { request as httpsRequest } from "node:https";
import type { LookupFunction } from "node:net";
import { DomainError } from "../../domain/shared/errors.js";
import { parseRetryAfter } from "../../domain/webhooks/retry.js";
import { webhookHeaders } from "../../domain/webhooks/signature.js";
import type { WebhookTargets } from "./targets.js";

/** How long an attempt may take altogether. */
export const ATTEMPT_TIMEOUT_MS = 10_000;
/** How much of a reply is waited for; none of it is kept. */
const MAX_REPLY_BYTES = 64 * 1024;

/** What came of an attempt: what the receiver answered, or why there was no answer. */
export type AttemptOutcome =
  | { readonly kind: "answered"; readonly status: number; readonly retryAfterMs: number | null }
  | { readonly kind: "failed"; readonly error: string };

export interface OutgoingWebhook {
  readonly url: string;
  readonly eventId: string;
  readonly body: string;
  readonly secrets: readonly string[];
}

/** Sends webhooks over HTTP, one attempt each: to checked addresses only, following no redirect. */
export class WebhookSender {
  readonly #targets: WebhookTargets;
  readonly #timeoutMs: number;

  constructor(targets: WebhookTargets, timeoutMs = ATTEMPT_TIMEOUT_MS) {
    this.#targets = targets;
    this.#timeoutMs = timeoutMs;
  }

  /** Makes one attempt; whatever fails is an outcome. */
  async send(webhook: OutgoingWebhook): Promise<AttemptOutcome> {
    const signal = AbortSignal.timeout(this.#timeoutMs);
    try {
      const url = new URL(webhook.url);
      const addresses = await this.#targets.addressesOf(url, signal);
      return await post(url, addresses, webhook, signal);
    } catch (error) {
      return { kind: "failed", error: signal.aborted ? "The receiver took too long." : reasonOf(error) };
    }
  }
}

async function post(
  url: URL,
  addresses: readonly LookupAddress[],
  { eventId, body, secrets }: OutgoingWebhook,
  signal: AbortSignal,
): Promise<AttemptOutcome> {
  return new Promise((resolve, reject) => {
    const request = url.protocol === "https:" ? httpsRequest : httpRequest;
    const outgoing = request(url, {
      method: "POST",
      headers: {
        ...webhookHeaders(eventId, body, secrets, new Date()),
        "content-type": "application/json",
        "content-length": Buffer.byteLength(body),
        "user-agent": "user-groups-webhooks",
      },
      lookup: pinned(addresses),
      // A connection that was kept would lead to an address that was checked earlier.
      agent: false,
      signal,
    });
    let answer: AttemptOutcome | undefined;
    let failure: unknown;
    outgoing.on("response", (response) => {
      const { statusCode: status = 0, headers } = response;
      answer = {
        kind: "answered",
        status,
        retryAfterMs: parseRetryAfter(headers["retry-after"], new Date()),
      };
      drain(response);
    });
    outgoing.on("error", (error) => {
      failure = error;
    });
    // The status says it all: that the rest of the reply is cut off or fails changes nothing.
    outgoing.on("close", () => (answer ? resolve(answer) : reject(failure)));
    outgoing.end(body);
  });
}

/** Reads the reply, so that the receiver can finish it, but no more of it than is decent. */
function drain(response: IncomingMessage): void {
  let length = 0;
  response.on("error", () => undefined);
  response.on("data", (chunk: Buffer) => {
    length += chunk.length;
    if (length > MAX_REPLY_BYTES) response.destroy();
  });
}

/** Answers with the addresses that were checked, whatever is asked. */
function pinned(addresses: readonly LookupAddress[]): LookupFunction {
  return (_hostname, { all }, callback) => {
    const [first] = addresses;
    if (all) callback(null, [...addresses]);
    else callback(null, first?.address ?? "", first?.family);
  };
}

/** Why there was no answer, with nothing of what was sent. */
function reasonOf(error: unknown): string {
  if (error instanceof DomainError) return error.message;
  // A name with several addresses fails with an error for each.
  const [cause = error] = error instanceof AggregateError ? error.errors : [];
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : "";
  return code === "" ? "The request could not be made." : `The request failed: ${code}.`;
}
