import type { LookupAddress } from "node:dns";
import { request as httpRequest, type IncomingMessage } from "node:http";
import { request as httpsRequest } from "node:https";
import type { LookupFunction } from "node:net";
import { ROOT_CONTEXT, SpanKind } from "@opentelemetry/api";
import type { TokenVault } from "../../domain/accounts/token-vault.js";
import { DomainError } from "../../domain/shared/errors.js";
import { parseRetryAfter, retryDelay, webhookHeaders } from "../../domain/webhooks/attempt.js";
import { type BreakerOptions, GONE } from "../../domain/webhooks/breaker.js";
import { type ClaimedDelivery, TEST_EVENT } from "../../domain/webhooks/webhook.js";
import type { Database } from "../../persistence/database/database.js";
import {
  type FailedAttempt,
  type FailedEndpoint,
  settleFailure,
  settleSuccess,
} from "../../persistence/webhooks/settlement.js";
import type { Telemetry } from "../../telemetry/telemetry.js";
import { markFailed, recordedSpan, runSpan } from "../../telemetry/tracing.js";
import type { WebhookTargets } from "./targets.js";

/** Timeout of an attempt, from DNS resolution to the end of the response. */
export const ATTEMPT_TIMEOUT_MS = 10_000;
/** Response bytes read before the connection is closed; all but the first line are discarded. */
const MAX_REPLY_BYTES = 64 * 1024;
/** Length of the response's first line that the sender of a test event sees. */
const MAX_LINE_LENGTH = 200;

/** The result of an attempt: the receiver's response, or the reason for its absence. */
type AttemptOutcome =
  | {
      readonly kind: "answered";
      readonly status: number;
      readonly retryAfterMs: number | null;
      readonly body: Chunks;
    }
  | { readonly kind: "failed"; readonly error: string };

/** The beginning of a response's body. */
type Chunks = readonly Buffer[];

interface OutgoingWebhook {
  readonly url: string;
  readonly eventId: string;
  readonly body: string;
  readonly secrets: readonly string[];
}

/** Sends webhooks over HTTP to validated addresses only. Does not retry or follow redirects. */
export class WebhookSender {
  constructor(
    private readonly targets: WebhookTargets,
    private readonly timeoutMs = ATTEMPT_TIMEOUT_MS,
  ) {}

  /** Makes one attempt; failures are returned, not thrown. */
  async send(webhook: OutgoingWebhook): Promise<AttemptOutcome> {
    const signal = AbortSignal.timeout(this.timeoutMs);
    try {
      const url = new URL(webhook.url);
      const addresses = await this.targets.addressesOf(url, signal);
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
      const retryAfterMs = parseRetryAfter(headers["retry-after"], new Date());
      outcome = { kind: "answered", status, retryAfterMs, body: drain(response) };
    });
    outgoing.on("error", (error) => {
      failure = error;
    });
    // The status decides the outcome, even if the response body is truncated.
    outgoing.on("close", () => (outcome ? resolve(outcome) : reject(failure)));
    outgoing.end(body);
  });
}

/** Consumes the response, up to a limit, so that the receiver can finish it. @returns the chunks, as they arrive */
function drain(response: IncomingMessage): Chunks {
  const chunks: Buffer[] = [];
  let length = 0;
  response.on("error", () => undefined);
  response.on("data", (chunk: Buffer) => {
    chunks.push(chunk);
    length += chunk.length;
    if (length > MAX_REPLY_BYTES) response.destroy();
  });
  return chunks;
}

/** Returns the first line with text, without control characters; empty without one. */
function firstLineOf(chunks: Chunks): string {
  const [line = ""] = Buffer.concat(chunks)
    .toString()
    .trimStart()
    .split(/[\r\n]/, 1);
  return Array.from(line.replace(/\p{Cc}/gu, " "))
    .slice(0, MAX_LINE_LENGTH)
    .join("")
    .trimEnd();
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

/** The actor in the audit log when an endpoint is disabled. */
const ACTOR = { keyId: null, name: "webhooks", requestId: null };

export interface WebhookLog {
  warn(details: object, message: string): void;
}

interface AttemptDependencies {
  readonly db: Database;
  readonly vault: TokenVault;
  readonly sender: WebhookSender;
  readonly telemetry: Telemetry;
}

export interface AttemptOptions {
  readonly retryDelaysMs: readonly number[];
  readonly breaker: BreakerOptions;
}

/** The result of an attempt, and the state of the endpoint after it. */
export interface AttemptReport {
  readonly durationMs: number;
  /** The first line of the response to a test event; null without a response, and for other events. */
  readonly firstLine: string | null;
  readonly hasAnswered: boolean;
  /** Whether deliveries to it are suspended. */
  readonly isPaused: boolean;
}

/** Executes single delivery attempts and records their outcomes. */
export class WebhookAttempts {
  constructor(
    private readonly deps: AttemptDependencies,
    private readonly options: AttemptOptions,
  ) {}

  /**
   * Executes an attempt, in a new trace: the request that caused the event has ended.
   * @throws Error if the attempt cannot be made or recorded; the delivery is retried when its lease expires
   */
  async make(claim: ClaimedDelivery, log: WebhookLog): Promise<AttemptReport> {
    const { tracing } = this.deps.telemetry;
    if (!tracing) return this.#make(claim, log);
    const { accountId, environment, attempts, eventId } = claim;
    const attributes = {
      "user_groups.account_id": accountId,
      "user_groups.environment": environment,
      "user_groups.event_id": eventId,
      "user_groups.attempt": attempts,
    };
    const span = tracing.startSpan("webhook attempt", { kind: SpanKind.CLIENT, attributes }, ROOT_CONTEXT);
    return runSpan(span, () => this.#make(claim, log));
  }

  async #make(claim: ClaimedDelivery, log: WebhookLog): Promise<AttemptReport> {
    const { endpointId: id, url, eventId, subject, payload: body, accountId, environment } = claim;
    const binding = { accountId, id, kind: "webhookEndpoint" } as const;
    const secrets = claim.secrets.map((secret) => this.deps.vault.decrypt(secret, binding));
    const startedAt = performance.now();
    const outcome = await this.deps.sender.send({ url, eventId, body, secrets });
    const durationMs = Math.round(performance.now() - startedAt);
    const firstLine =
      subject === TEST_EVENT && outcome.kind === "answered" ? firstLineOf(outcome.body) : null;
    const db = this.deps.db.for({ accountId, environment, actor: ACTOR });
    if (outcome.kind === "answered" && isSuccess(outcome.status)) {
      this.#count("delivered", outcome.status);
      const failures = await settleSuccess(db, claim, outcome.status);
      if (failures >= this.options.breaker.pauseAfterFailures)
        log.warn({ endpointId: id, accountId, failures }, "webhook endpoint recovered");
      return { durationMs, firstLine, hasAnswered: true, isPaused: false };
    }
    const failed = this.#failedAttempt(claim, outcome);
    this.#count(failed.state === "dead" ? "dead" : "failed", failed.status);
    const endpoint = await db.transaction((transaction) =>
      settleFailure(transaction, claim, failed, this.options.breaker),
    );
    if (endpoint) this.#logFailure(claim, failed, endpoint, log);
    const isPaused = !endpoint || endpoint.pausedUntil !== null || endpoint.disabledAt !== null;
    return { durationMs, firstLine, hasAnswered: false, isPaused };
  }

  #failedAttempt({ attempts, subject }: ClaimedDelivery, outcome: AttemptOutcome): FailedAttempt {
    const status = outcome.kind === "answered" ? outcome.status : null;
    const error =
      outcome.kind === "answered" ? `The receiver responded with status ${outcome.status}.` : outcome.error;
    const retryAfterMs = outcome.kind === "answered" ? outcome.retryAfterMs : null;
    // A test event is not retried: its sender sees the outcome.
    const isLast = status === GONE || subject === TEST_EVENT;
    const waitMs = isLast ? null : retryDelay(attempts, retryAfterMs, this.options.retryDelaysMs);
    return { state: waitMs === null ? "dead" : "pending", status, error, waitMs: waitMs ?? 0 };
  }

  #count(outcome: "delivered" | "failed" | "dead", status: number | null): void {
    this.deps.telemetry.metrics.webhookAttempts.inc({ outcome });
    const span = recordedSpan();
    if (!span) return;
    span.setAttribute("user_groups.outcome", outcome);
    if (status !== null) span.setAttribute("http.response.status_code", status);
    if (outcome !== "delivered") markFailed(span, status === null ? "no_answer" : String(status));
  }

  /** Logs only when an endpoint is paused and when it is disabled, not every failed attempt. */
  #logFailure(
    { endpointId, accountId }: ClaimedDelivery,
    { status, error }: FailedAttempt,
    { consecutiveFailures: failures, disabledReason, isDisabledNow }: FailedEndpoint,
    log: WebhookLog,
  ): void {
    const details = { endpointId, accountId, failures, status, error };
    if (isDisabledNow) log.warn({ ...details, reason: disabledReason }, "webhook endpoint disabled");
    else if (failures === this.options.breaker.pauseAfterFailures)
      log.warn(details, "webhook endpoint is failing");
  }
}

function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}
