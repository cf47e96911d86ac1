import { ROOT_CONTEXT, SpanKind } from "@opentelemetry/api";
import type { TokenVault } from "../../domain/accounts/token-vault.js";
import { retryDelay } from "../../domain/webhooks/retry.js";
import type { ClaimedDelivery } from "../../domain/webhooks/webhook.js";
import type { Database } from "../../persistence/database/database.js";
import {
  type BreakerOptions,
  type FailedAttempt,
  type FailedEndpoint,
  settleFailure,
  settleSuccess,
} from "../../persistence/webhooks/settlement.js";
import type { Telemetry } from "../../telemetry/telemetry.js";
import { markFailed, recordedSpan, runSpan } from "../../telemetry/tracing.js";
import type { AttemptOutcome, WebhookSender } from "./sender.js";

const GONE = 410;

/** The actor in the audit log when an endpoint is disabled. */
const ACTOR = { keyId: null, name: "webhooks", requestId: null };

export interface WebhookLog {
  warn(details: object, message: string): void;
}

export interface AttemptDependencies {
  readonly db: Database;
  readonly vault: TokenVault;
  readonly sender: WebhookSender;
  readonly telemetry: Telemetry;
}

export interface AttemptOptions {
  readonly retryDelaysMs: readonly number[];
  readonly breaker: BreakerOptions;
}

/** The state of an endpoint after an attempt. */
export interface EndpointOutcome {
  readonly hasAnswered: boolean;
  /** Whether deliveries to it are suspended. */
  readonly isPaused: boolean;
}

/** Executes single delivery attempts and records their outcomes. */
export class WebhookAttempts {
  readonly #db: Database;
  readonly #vault: TokenVault;
  readonly #sender: WebhookSender;
  readonly #telemetry: Telemetry;
  readonly #options: AttemptOptions;

  constructor({ db, vault, sender, telemetry }: AttemptDependencies, options: AttemptOptions) {
    this.#db = db;
    this.#vault = vault;
    this.#sender = sender;
    this.#telemetry = telemetry;
    this.#options = options;
  }

  /**
   * Executes an attempt, in a new trace: the request that caused the event has ended.
   * @throws Error if the attempt cannot be made or recorded; the delivery is retried when its lease expires
   */
  async make(claim: ClaimedDelivery, log: WebhookLog): Promise<EndpointOutcome> {
    const { tracing } = this.#telemetry;
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

  async #make(claim: ClaimedDelivery, log: WebhookLog): Promise<EndpointOutcome> {
    const { endpointId: id, url, eventId, payload: body, accountId, environment } = claim;
    const binding = { accountId, id, kind: "webhookEndpoint" } as const;
    const secrets = claim.secrets.map((secret) => this.#vault.decrypt(secret, binding));
    const outcome = await this.#sender.send({ url, eventId, body, secrets });
    const db = this.#db.for({ accountId, environment, actor: ACTOR });
    if (outcome.kind === "answered" && isSuccess(outcome.status)) {
      this.#count("delivered", outcome.status);
      const failures = await settleSuccess(db, claim, outcome.status);
      if (failures >= this.#options.breaker.pauseAfterFailures)
        log.warn({ endpointId: id, accountId, failures }, "webhook endpoint recovered");
      return { hasAnswered: true, isPaused: false };
    }
    const failed = this.#failedAttempt(claim, outcome);
    this.#count(failed.state === "dead" ? "dead" : "failed", failed.status);
    const endpoint = await settleFailure(db, claim, failed, this.#options.breaker);
    if (endpoint) this.#logFailure(claim, failed, endpoint, log);
    const isPaused = !endpoint || endpoint.isPaused || endpoint.disabledReason !== null;
    return { hasAnswered: false, isPaused };
  }

  #failedAttempt({ attempts }: ClaimedDelivery, outcome: AttemptOutcome): FailedAttempt {
    const status = outcome.kind === "answered" ? outcome.status : null;
    const error =
      outcome.kind === "answered" ? `The receiver responded with status ${outcome.status}.` : outcome.error;
    const retryAfterMs = outcome.kind === "answered" ? outcome.retryAfterMs : null;
    const waitMs = status === GONE ? null : retryDelay(attempts, retryAfterMs, this.#options.retryDelaysMs);
    return { state: waitMs === null ? "dead" : "pending", status, error, waitMs: waitMs ?? 0 };
  }

  #count(outcome: "delivered" | "failed" | "dead", status: number | null): void {
    this.#telemetry.metrics.webhookAttempts.inc({ outcome });
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
    { failures, disabledReason, isDisabledNow }: FailedEndpoint,
    log: WebhookLog,
  ): void {
    const details = { endpointId, accountId, failures, status, error };
    if (isDisabledNow) log.warn({ ...details, reason: disabledReason }, "webhook endpoint disabled");
    else if (failures === this.#options.breaker.pauseAfterFailures)
      log.warn(details, "webhook endpoint is failing");
  }
}

function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}
