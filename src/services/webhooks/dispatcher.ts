import { setTimeout as sleep } from "node:timers/promises";
import type { ClaimedDelivery } from "../../domain/webhooks/webhook.js";
import type { Database } from "../../persistence/database/database.js";
import type { TenantDb } from "../../persistence/shared/tenant-db.js";
import {
  claimDue,
  claimNext,
  type DueEndpoint,
  findDueEndpoints,
  findDueEndpointsByWorker,
} from "../../persistence/webhooks/outbox.js";
import { readOutboxState } from "../../persistence/webhooks/outbox-state.js";
import type { OutboxReading } from "../../telemetry/database-metrics.js";
import type { AttemptReport, WebhookAttempts, WebhookLog } from "./attempts.js";
import { distributeSlots, type SlotLimits } from "./slots.js";
import { type WaitingEndpoint, WaitingEndpoints } from "./waiting-endpoints.js";

/** Upper bound of the poll interval when polling is slow. */
const MAX_POLL_INTERVAL_MS = 10_000;

export interface DispatcherOptions {
  /** Minimum interval between polls for endpoints with due deliveries. */
  readonly pollMs: number;
  /** How long a claim is valid; must exceed the duration of an attempt. */
  readonly leaseMs: number;
  readonly slots: SlotLimits;
}

/** Number of deliveries to claim for an endpoint. */
interface Grant {
  readonly waiting: WaitingEndpoint;
  readonly slots: number;
}

/** Delivers webhooks from the outbox, concurrently with the dispatchers of other processes (decision 35). */
export class WebhookDispatcher {
  readonly #waiting = new WaitingEndpoints();
  /** The attempts in progress, and the endpoint of each when it began. */
  readonly #running = new Map<Promise<void>, DueEndpoint>();
  readonly #polls: PollSchedule;
  #log: WebhookLog = { warn: () => undefined };
  #loop: Promise<void> | undefined;
  #isStopping = false;
  /** Whether the last poll or a claim since has failed. */
  #isFailing = false;
  /** Ends the pause before the next round. */
  #wakeUp = new AbortController();

  constructor(
    private readonly db: Database,
    private readonly attempts: WebhookAttempts,
    readonly options: DispatcherOptions,
  ) {
    this.#polls = new PollSchedule(options.pollMs);
  }

  /** Number of attempts in progress in this process. */
  get inProgress(): number {
    return this.#running.size;
  }

  start(log: WebhookLog): void {
    this.#log = log;
    this.#loop ??= this.#run();
  }

  /** Whether this process delivers webhooks. */
  get isRunning(): boolean {
    return this.#loop !== undefined && !this.#isStopping;
  }

  /** Makes the attempt of a claimed delivery, whatever slots are free. @returns null if it could not be recorded, which is logged */
  async attempt(claim: ClaimedDelivery): Promise<AttemptReport | null> {
    try {
      return await this.attempts.make(claim, this.#log);
    } catch (error) {
      const { endpointId, eventId, accountId } = claim;
      this.#log.warn({ endpointId, eventId, accountId, err: error }, "webhook attempt could not be recorded");
      return null;
    }
  }

  /** Returns the outbox state across all processes. @throws DomainError `unavailable` when the database is unreachable */
  async state(): Promise<OutboxReading> {
    return readOutboxState(this.db.of("operator"));
  }

  /** Stops claiming deliveries and waits for the attempts in progress. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    this.#wakeUp.abort();
    await this.#loop;
    await Promise.all(this.#running.keys());
  }

  async #run(): Promise<void> {
    while (!this.#isStopping) {
      // Before the round: an attempt that ends meanwhile may have made another delivery due.
      this.#wakeUp = new AbortController();
      const { signal } = this.#wakeUp;
      const hasClaimed = await this.#pollAndClaim();
      if (!hasClaimed) await sleep(this.#polls.intervalMs, undefined, { signal }).catch(() => undefined);
    }
  }

  /** Returns whether to continue without a pause, as there may be more to claim. */
  async #pollAndClaim(): Promise<boolean> {
    const startedAt = Date.now();
    const failures: unknown[] = [];
    const fail = (error: unknown) => failures.push(error);
    const isPoll = this.#polls.isDue(startedAt);
    if (isPoll) await this.#poll(startedAt).catch(fail);
    const slots = distributeSlots(this.#waiting, this.#running.values(), this.options.slots);
    // Each tenant separately, as the rows of tenants may be on different servers, of which one may be down.
    for (const grants of byTenant(slots)) {
      await this.#claimForTenant(grants).catch((error) => {
        for (const { waiting } of grants) this.#waiting.remove(waiting.endpoint);
        fail(error);
      });
    }
    if (failures.length === 0) this.#polls.measure(Date.now() - startedAt);
    // Log once per outage: polls are repeated every second.
    else if (!this.#isFailing)
      this.#log.warn({ err: failures[0] }, "webhook deliveries could not be claimed");
    this.#isFailing = failures.length > 0 || (this.#isFailing && !isPoll);
    return slots.size > 0;
  }

  async #poll(startedAt: number): Promise<void> {
    this.#polls.begin(startedAt);
    this.#waiting.replace([]);
    const operator = this.db.of("operator");
    try {
      this.#waiting.replace(await findDueEndpoints(operator));
    } catch (error) {
      if (this.db.hasCitus) {
        const outcomes = await findDueEndpointsByWorker(operator);
        this.#waiting.replace(
          outcomes.flatMap((outcome) => (outcome.status === "fulfilled" ? outcome.value : [])),
        );
      }
      throw error;
    }
  }

  async #claimForTenant(grants: TenantGrants): Promise<void> {
    const db = this.db.for(grants[0].waiting.endpoint);
    for (const { waiting } of grants) this.#waiting.moveToEnd(waiting);
    const searched = grants.filter(({ waiting }) => waiting.isSearched);
    const others = grants.filter(({ waiting }) => !waiting.isSearched);
    if (searched.length > 0) await this.#claimDue(db, searched);
    if (others.length > 0) await this.#claimNext(db, others);
  }

  async #claimDue(db: TenantDb, grants: readonly Grant[]): Promise<void> {
    const searches = grants.map(({ waiting, slots }) => waiting.takeSearch(slots));
    const claims = await claimDue(db, searches, this.options.leaseMs);
    for (const { waiting, slots } of grants) {
      const found = claims.filter(({ endpointId }) => endpointId === waiting.endpoint.endpointId);
      waiting.searched(found, slots);
      for (const claim of found) this.#begin(waiting, claim);
    }
  }

  async #claimNext(db: TenantDb, grants: readonly Grant[]): Promise<void> {
    const searches = grants.flatMap(({ waiting, slots }) =>
      waiting.takeNext(slots).map((search) => ({ ...search, waiting })),
    );
    const claims = await claimNext(db, searches, this.options.leaseMs);
    for (const { waiting, endpointId, subject, former } of searches) {
      const found = claims.find((claim) => claim.endpointId === endpointId && claim.subject === subject);
      if (found) this.#begin(waiting, found);
      // Deliveries of other subjects may have become due meanwhile.
      else waiting.searchFrom(former);
    }
  }

  #begin(waiting: WaitingEndpoint, claim: ClaimedDelivery): void {
    waiting.attemptBegun(claim);
    const { endpoint } = waiting;
    const attempt = this.#attempt(endpoint, claim).finally(() => {
      this.#running.delete(attempt);
      this.#wakeUp.abort();
    });
    this.#running.set(attempt, endpoint);
  }

  async #attempt(endpoint: DueEndpoint, claim: ClaimedDelivery): Promise<void> {
    const report = await this.attempt(claim);
    if (report) this.#waiting.attemptEnded(endpoint, claim, report);
  }
}

/** Limits polls and claims to a tenth of the time: a long backlog of one subject or a busy connection pool makes them slow. */
class PollSchedule {
  #polledAt = 0;
  /** The longest poll or claim since then; 0 while they fail, which measures an unreachable database and not the backlog. */
  #durationMs = 0;

  constructor(private readonly minIntervalMs: number) {}

  get intervalMs(): number {
    return Math.max(this.minIntervalMs, Math.min(9 * this.#durationMs, MAX_POLL_INTERVAL_MS));
  }

  isDue(now: number): boolean {
    return now - this.#polledAt >= this.intervalMs;
  }

  begin(now: number): void {
    this.#polledAt = now;
    this.#durationMs = 0;
  }

  measure(durationMs: number): void {
    this.#durationMs = Math.max(this.#durationMs, durationMs);
  }
}

/** Grants of one tenant. */
type TenantGrants = readonly [Grant, ...Grant[]];

function byTenant(slots: ReadonlyMap<WaitingEndpoint, number>): Iterable<TenantGrants> {
  const tenants = new Map<string, [Grant, ...Grant[]]>();
  for (const [waiting, count] of slots) {
    const grant = { waiting, slots: count };
    const { accountId, environment } = waiting.endpoint;
    const key = `${accountId} ${environment}`;
    const others = tenants.get(key);
    if (others) others.push(grant);
    else tenants.set(key, [grant]);
  }
  return tenants.values();
}
