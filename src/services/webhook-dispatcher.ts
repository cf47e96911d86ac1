import type { Telemetry } from "../domain/telemetry/telemetry.js";
import { runSpan } from "../domain/telemetry/tracing.js";
import type { TokenVault } from "../domain/token-vault.js";
import type { ClaimedDelivery } from "../domain/webhook.js";
import { RETRY_DELAYS_MS, retryDelay } from "../domain/webhook-retry.js";
import type { Database } from "../persistence/database.js";
import {
  claimDeliveries,
  disableWebhookEndpoint,
  forgetDeliveries,
  type OutboxState,
  readOutboxState,
  type SettledAttempt,
  settleDelivery,
} from "../persistence/webhook-outbox.js";
import { ATTEMPT_TIMEOUT_MS, type AttemptOutcome, type WebhookSender } from "./webhook-sender.js";

const GONE = 410;
/** How many deliveries are under way in one process, and of those to one endpoint. */
const MAX_UNDER_WAY = 10;
const MAX_PER_ENDPOINT = 4;
const HOUR_MS = 3_600_000;
/** How long it waits at most until it looks again, however slow looking is. */
const LONGEST_PAUSE_MS = 10_000;
/** How long deliveries that are over can be looked at and replayed. */
const KEEP_DAYS = 30;

/** Whom the audit log names when an endpoint is turned off. */
const ACTOR = { keyId: null, name: "webhooks", requestId: null };

/** What the log is told. */
export interface WebhookLog {
  /** An attempt that failed. */
  warn(details: object, message: string): void;
}

/** For tests: how patient it is. */
export interface DispatcherTimes {
  /** How often it looks for deliveries that are due. */
  readonly pollMs: number;
  /** How long a delivery belongs to the process that took it; longer than an attempt takes. */
  readonly leaseMs: number;
  readonly retryDelaysMs: readonly number[];
}

const TIMES: DispatcherTimes = {
  pollMs: 1000,
  leaseMs: 3 * ATTEMPT_TIMEOUT_MS,
  retryDelaysMs: RETRY_DELAYS_MS,
};

/** Delivers what the outbox holds, together with the dispatchers of other processes (decision 35). */
export class WebhookDispatcher {
  readonly #db: Database;
  readonly #vault: TokenVault;
  readonly #sender: WebhookSender;
  readonly #times: DispatcherTimes;
  readonly #telemetry: Telemetry;
  readonly #underWay = new Map<ClaimedDelivery, Promise<void>>();
  #log: WebhookLog = { warn: () => undefined };
  #loop: Promise<void> | undefined;
  #stopping = false;
  #failing = false;
  #lookMs = 0;
  #forgottenAt = 0;
  #isWoken = false;
  #endPause: () => void = () => undefined;

  constructor(
    db: Database,
    vault: TokenVault,
    sender: WebhookSender,
    telemetry: Telemetry,
    times: Partial<DispatcherTimes> = {},
  ) {
    this.#db = db;
    this.#telemetry = telemetry;
    this.#vault = vault;
    this.#sender = sender;
    this.#times = { ...TIMES, ...times };
  }

  start(log: WebhookLog): void {
    this.#log = log;
    this.#loop ??= this.#run();
  }

  /** What is to be sent by all processes. @throws DomainError `unavailable` when the database is out of reach */
  async state(): Promise<OutboxState> {
    return readOutboxState(this.#db.of("operator"));
  }

  /** Takes nothing more, and waits for the attempts under way. */
  async stop(): Promise<void> {
    this.#stopping = true;
    this.#wake();
    await this.#loop;
    await Promise.all(this.#underWay.values());
  }

  async #run(): Promise<void> {
    while (!this.#stopping) {
      this.#isWoken = false;
      const found = await this.#look();
      if (found === 0 && !this.#isWoken) await this.#pause();
    }
  }

  async #look(): Promise<number> {
    const startedAt = Date.now();
    try {
      const found = await this.#takeWhatIsDue();
      this.#failing = false;
      this.#lookMs = Date.now() - startedAt;
      return found;
    } catch (error) {
      // Once an outage: it is looked again every second.
      if (!this.#failing) this.#log.warn({ err: error }, "webhooks could not be looked for");
      this.#failing = true;
      // How long a database that is out of reach takes to fail tells nothing of the backlog.
      this.#lookMs = 0;
      return 0;
    }
  }

  async #pause(): Promise<void> {
    return new Promise((resolve) => {
      // A long backlog of one subject makes looking slow: no more than a tenth of the time goes into it. So does a busy pool.
      const pauseMs = Math.min(9 * this.#lookMs, LONGEST_PAUSE_MS);
      const timer = setTimeout(resolve, Math.max(this.#times.pollMs, pauseMs));
      this.#endPause = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  /** Has it look again at once. */
  #wake(): void {
    this.#isWoken = true;
    this.#endPause();
  }

  async #takeWhatIsDue(): Promise<number> {
    const operator = this.#db.of("operator");
    if (Date.now() - this.#forgottenAt > HOUR_MS) {
      this.#forgottenAt = Date.now();
      await forgetDeliveries(operator, KEEP_DAYS);
    }
    const count = MAX_UNDER_WAY - this.#underWay.size;
    if (count === 0) return 0;
    const underWay = new Map<number, number>();
    for (const { endpointId } of this.#underWay.keys())
      underWay.set(endpointId, (underWay.get(endpointId) ?? 0) + 1);
    const claims = await claimDeliveries(operator, {
      count,
      perEndpoint: MAX_PER_ENDPOINT,
      underWay,
      leaseMs: this.#times.leaseMs,
    });
    for (const claim of claims) {
      const attempt = this.#tracedAttempt(claim)
        // The lease makes up for it.
        .catch((error: unknown) => {
          const { endpointId, eventId, accountId } = claim;
          this.#log.warn({ endpointId, eventId, accountId, err: error }, "a webhook could not be settled");
        })
        .finally(() => {
          this.#underWay.delete(claim);
          this.#wake();
        });
      this.#underWay.set(claim, attempt);
    }
    return claims.length;
  }

  /** Each attempt is a trace of its own: the request that it tells of is over. */
  async #tracedAttempt(claim: ClaimedDelivery): Promise<void> {
    const { tracing } = this.#telemetry;
    if (!tracing) return this.#attempt(claim);
    const { accountId, environment, attempts, eventId } = claim;
    const attributes = {
      "user_groups.account_id": accountId,
      "user_groups.environment": environment,
      "user_groups.event_id": eventId,
      "user_groups.attempt": attempts,
    };
    const span = tracing.begin("webhook attempt", { kind: "client", parent: null, attributes });
    return runSpan(span, () => this.#attempt(claim));
  }

  async #attempt(claim: ClaimedDelivery): Promise<void> {
    const { endpointId: id, url, eventId, payload: body, accountId, environment } = claim;
    const binding = { accountId, id, of: "webhookEndpoint" } as const;
    const secrets = claim.secrets.map((sealed) => this.#vault.open(sealed, binding));
    const outcome = await this.#sender.send({ url, eventId, body, secrets });
    const settled = this.#settle(claim, outcome);
    this.#note(settled);
    const tenant = this.#db.of({ accountId, environment, actor: ACTOR });
    if (settled.state !== "delivered") {
      const { attempts: attempt } = claim;
      const { state, status, error } = settled;
      const details = { endpointId: id, eventId, accountId, attempt, status, error, state };
      this.#log.warn(details, "webhook not delivered");
    }
    if (settled.status === GONE) await disableWebhookEndpoint(tenant, claim);
    await settleDelivery(tenant, claim, settled);
  }

  #note({ state, status }: SettledAttempt): void {
    const outcome = state === "pending" ? "failed" : state;
    this.#telemetry.tally.webhookAttempts.of(outcome).value += 1;
    const span = this.#telemetry.tracing?.current();
    span?.set({
      "user_groups.outcome": outcome,
      ...(status === null ? {} : { "http.response.status_code": status }),
    });
    if (outcome !== "delivered") span?.fail(status === null ? "no_answer" : String(status));
  }

  #settle({ attempts }: ClaimedDelivery, outcome: AttemptOutcome): SettledAttempt {
    const status = outcome.kind === "answered" ? outcome.status : null;
    if (status !== null && status >= 200 && status < 300)
      return { state: "delivered", status, error: null, waitMs: 0 };
    const error = outcome.kind === "answered" ? `The receiver answered ${outcome.status}.` : outcome.error;
    const retryAfterMs = outcome.kind === "answered" ? outcome.retryAfterMs : null;
    const waitMs = status === GONE ? null : retryDelay(attempts, retryAfterMs, this.#times.retryDelaysMs);
    return { state: waitMs === null ? "dead" : "pending", status, error, waitMs: waitMs ?? 0 };
  }
}
