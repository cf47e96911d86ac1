import type { LookupAddress } from "node:dns";
import { request as httpRequest, type IncomingMessage } from "node:http";
import { request as httpsRequest } from "node:https";
import type { LookupFunction } from "node:net";
import { DomainError } from "../../domain/shared/errors.js";
import { parseRetryAfter } from "../../domain/webhooks/retry.js";
import { webhookHeaders } from "../../domain/webhooks/signature.js";
import type { WebhookTargets } from "./targets.js";

/** Timeout of an attempt, from DNS resolution to the end of the response. */
export const ATTEMPT_TIMEOUT_MS = 10_000;
/** Response bytes read before the connection is closed; all of them are discarded. */
const MAX_REPLY_BYTES = 64 * 1024;

/** The result of an attempt: the receiver's response, or the reason for its absence. */
export type AttemptOutcome =
  | { readonly kind: "answered"; readonly status: number; readonly retryAfterMs: number | null }
  | { readonly kind: "failed"; readonly error: string };

export interface OutgoingWebhook {
  readonly url: string;
  readonly eventId: string;
  readonly body: string;
  readonly secrets: readonly string[];
}

/** Sends webhooks over HTTP to validated addresses only. Does not retry or follow redirects. */
export class WebhookSender {
  readonly #targets: WebhookTargets;
  readonly #timeoutMs: number;

  constructor(targets: WebhookTargets, timeoutMs = ATTEMPT_TIMEOUT_MS) {
    this.#targets = targets;
    this.#timeoutMs = timeoutMs;
  }

  /** Makes one attempt; failures are returned, not thrown. */
  async send(webhook: OutgoingWebhook): Promise<AttemptOutcome> {
    const signal = AbortSignal.timeout(this.#timeoutMs);
    try {
      const url = new URL(webhook.url);
      const addresses = await this.#targets.addressesOf(url, signal);
      return await post(url, addresses, webhook, signal);
    } catch (error) {
      return {
        kind: "failed",
        error: signal.aborted ? "The receiver did not respond in time." : reasonOf(error),
      };
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
      lookup: createPinnedLookup(addresses),
      // No keep-alive: a reused connection would go to an address that was validated earlier.
      agent: false,
      signal,
    });
    let outcome: AttemptOutcome | undefined;
    let failure: unknown;
    outgoing.on("response", (response) => {
      const { statusCode: status = 0, headers } = response;
      outcome = {
        kind: "answered",
        status,
        retryAfterMs: parseRetryAfter(headers["retry-after"], new Date()),
      };
      drain(response);
    });
    outgoing.on("error", (error) => {
      failure = error;
    });
    // The status decides the outcome, even if the response body is truncated.
    outgoing.on("close", () => (outcome ? resolve(outcome) : reject(failure)));
    outgoing.end(body);
  });
}

/** Consumes the response, up to a limit, so that the receiver can finish it. */
function drain(response: IncomingMessage): void {
  let length = 0;
  response.on("error", () => undefined);
  response.on("data", (chunk: Buffer) => {
    length += chunk.length;
    if (length > MAX_REPLY_BYTES) response.destroy();
  });
}

/** Returns a lookup function that resolves every hostname to the validated addresses, to prevent DNS rebinding. */
function createPinnedLookup(addresses: readonly LookupAddress[]): LookupFunction {
  return (_hostname, { all }, callback) => {
    const [first] = addresses;
    if (all) callback(null, [...addresses]);
    else callback(null, first?.address ?? "", first?.family);
  };
}

/** Returns why there was no response, without disclosing anything that was sent. */
function reasonOf(error: unknown): string {
  if (error instanceof DomainError) return error.message;
  // A host with several addresses fails with one error per address.
  const [cause = error] = error instanceof AggregateError ? error.errors : [];
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : "";
  return code === "" ? "The request could not be sent." : `The request failed: ${code}.`;
}
