import type { ClaimedDelivery } from "../../domain/webhooks/webhook.js";
import type { Database } from "../../persistence/database/database.js";
import type { TenantDb } from "../../persistence/shared/tenant-db.js";
import {
  claimDue,
  claimNext,
  type DueEndpoint,
  type DuePosition,
  findDueEndpoints,
  findDueEndpointsByWorker,
} from "../../persistence/webhooks/outbox.js";
import { readOutboxState } from "../../persistence/webhooks/outbox-state.js";
import type { OutboxReading } from "../../telemetry/database-metrics.js";
import type { WebhookAttempts, WebhookLog } from "./attempts.js";

/** An endpoint with due deliveries, or a subject of it that may have a next one. */
export interface Waiting extends DueEndpoint {
  readonly subject: string | null;
}

/** Maximum number of deliveries to claim for an endpoint. */
interface ClaimGrant {
  readonly endpoint: Waiting;
  readonly slots: number;
}

/** Maximum concurrent deliveries of one process. */
export interface SlotLimits {
  readonly total: number;
  readonly perAccount: number;
  readonly perEndpoint: number;
}

/** Share of the total and of each account's slots for endpoints that did not answer last time or were never called. */
const UNPROVEN_SHARE = 0.5;

class Usage {
  used = 0;
  unproven = 0;

  hasRoom(limit: number, { hasAnswered }: Waiting): boolean {
    if (this.used >= limit) return false;
    return hasAnswered || this.unproven < Math.max(1, Math.floor(limit * UNPROVEN_SHARE));
  }

  add({ hasAnswered }: Waiting, count: 1 | -1): void {
    this.used += count;
    if (!hasAnswered) this.unproven += count;
  }
}

/**
 * Limits concurrent deliveries per process, account and endpoint, and reserves a share for endpoints that answered last time, so that
 * unresponsive receivers cannot occupy the slots of others.
 */
export class DeliverySlots {
  readonly #all = new Usage();
  readonly #accounts = new Map<number, Usage>();
  readonly #endpoints = new Map<number, number>();

  constructor(private readonly limits: SlotLimits) {}

  get used(): number {
    return this.#all.used;
  }

  /** Allocates free slots to these endpoints, round-robin. */
  take(endpoints: Iterable<Waiting>): ClaimGrant[] {
    const grants = new Map<Waiting, number>();
    let waiting = [...endpoints];
    while (waiting.length > 0) {
      waiting = waiting.filter((endpoint) => this.#takeOne(endpoint));
      for (const endpoint of waiting) grants.set(endpoint, (grants.get(endpoint) ?? 0) + 1);
      waiting = waiting.filter(({ subject }) => subject === null);
    }
    return [...grants].map(([endpoint, slots]) => ({ endpoint, slots }));
  }

  /** Releases a slot. @param endpoint the value that was passed to `take` */
  release(endpoint: Waiting): void {
    const { accountId, endpointId } = endpoint;
    this.#all.add(endpoint, -1);
    const account = this.#accounts.get(accountId);
    account?.add(endpoint, -1);
    if (account?.used === 0) this.#accounts.delete(accountId);
    const left = (this.#endpoints.get(endpointId) ?? 0) - 1;
    if (left > 0) this.#endpoints.set(endpointId, left);
    else this.#endpoints.delete(endpointId);
  }

  #takeOne(endpoint: Waiting): boolean {
    const { accountId, endpointId, isProbed } = endpoint;
    const { total, perAccount, perEndpoint } = this.limits;
    const account = this.#accounts.get(accountId) ?? new Usage();
    const inUse = this.#endpoints.get(endpointId) ?? 0;
    if (inUse >= (isProbed ? 1 : perEndpoint)) return false;
    if (!this.#all.hasRoom(total, endpoint) || !account.hasRoom(perAccount, endpoint)) return false;
    this.#all.add(endpoint, 1);
    account.add(endpoint, 1);
    this.#accounts.set(accountId, account);
    this.#endpoints.set(endpointId, inUse + 1);
    return true;
  }
}

/** Upper bound of the poll interval when polling is slow. */
const MAX_POLL_INTERVAL_MS = 10_000;

export interface DispatcherOptions {
  /** Minimum interval between polls for endpoints with due deliveries. */
  readonly pollMs: number;
  /** How long a claim is valid; must exceed the duration of an attempt. */
  readonly leaseMs: number;
  readonly slots: SlotLimits;
}

/** Grants of one tenant: of endpoints, or of subjects. */
type TenantGrants = readonly [ClaimGrant, ...ClaimGrant[]];

/** Delivers webhooks from the outbox, concurrently with the dispatchers of other processes (decision 35). */
export class WebhookDispatcher {
  readonly #slots: DeliverySlots;
  /** The endpoints that may have deliveries due, and subjects that may have a next one, by `keyOf`. */
  #due = new Map<string, Waiting>();
  #polledAt = 0;
  /** Why the last poll found only the endpoints of some accounts. */
  #pollFailure: unknown;
  readonly #inProgress = new Set<Promise<void>>();
  /** The subjects of these attempts, by `keyOf`. */
  readonly #subjects = new Set<string>();
  #log: WebhookLog = { warn: () => undefined };
  #loop: Promise<void> | undefined;
  #isStopping = false;
  #isFailing = false;
  #pollDurationMs = 0;
  #isWoken = false;
  #endPause: () => void = () => undefined;

  constructor(
    private readonly db: Database,
    private readonly attempts: WebhookAttempts,
    private readonly options: DispatcherOptions,
  ) {
    this.#slots = new DeliverySlots(options.slots);
  }

  /** Number of attempts in progress in this process. */
  get inProgress(): number {
    return this.#slots.used;
  }

  start(log: WebhookLog): void {
    this.#log = log;
    this.#loop ??= this.#run();
  }

  /** Returns the outbox state across all processes. @throws DomainError `unavailable` when the database is unreachable */
  async state(): Promise<OutboxReading> {
    return readOutboxState(this.db.of("operator"));
  }

  /** Stops claiming deliveries and waits for the attempts in progress. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    this.#wake();
    await this.#loop;
    await Promise.all(this.#inProgress);
  }

  async #run(): Promise<void> {
    while (!this.#isStopping) {
      this.#isWoken = false;
      const hasClaimed = await this.#tryToClaim();
      if (!hasClaimed && !this.#isWoken) await this.#pause();
    }
  }

  /** Returns whether to claim again without a pause. */
  async #tryToClaim(): Promise<boolean> {
    try {
      await this.#poll();
      const grants = this.#slots.take(this.#due.values());
      if (grants.length > 0) await this.#claim(grants);
      if (this.#pollFailure !== undefined) throw this.#pollFailure;
      this.#isFailing = false;
      return grants.length > 0;
    } catch (error) {
      // Log once per outage: claiming is retried every second.
      if (!this.#isFailing) this.#log.warn({ err: error }, "webhook deliveries could not be claimed");
      this.#isFailing = true;
      // Reset: the time until an unreachable database fails does not measure the backlog.
      this.#pollDurationMs = 0;
      return false;
    }
  }

  async #poll(): Promise<void> {
    const startedAt = Date.now();
    if (startedAt - this.#polledAt < this.#pollIntervalMs()) return;
    this.#polledAt = startedAt;
    this.#due.clear();
    this.#pollFailure = undefined;
    const due = await findDueEndpoints(this.db.of("operator")).catch((error) => this.#pollWorkers(error));
    this.#due = new Map(
      due.map((found) => {
        const endpoint = { ...found, subject: null };
        return [keyOf(endpoint), endpoint];
      }),
    );
    this.#pollDurationMs = Date.now() - startedAt;
  }

  /** @throws `failure`, that of reading all accounts at once, without Citus */
  async #pollWorkers(failure: unknown): Promise<DueEndpoint[]> {
    if (!this.db.hasCitus) throw failure;
    const outcomes = await findDueEndpointsByWorker(this.db.of("operator"));
    this.#pollFailure = failure;
    return outcomes.flatMap((outcome) => (outcome.status === "fulfilled" ? outcome.value : []));
  }

  /** Claims for each tenant separately, as the rows of tenants may be on different servers, of which one may be down. */
  async #claim(grants: readonly ClaimGrant[]): Promise<void> {
    const startedAt = Date.now();
    const failures: unknown[] = [];
    for (const ofTenant of byTenant(grants)) {
      await this.#claimForTenant(ofTenant).catch((error: unknown) => failures.push(error));
    }
    this.#pollDurationMs = Math.max(this.#pollDurationMs, Date.now() - startedAt);
    if (failures.length > 0) throw failures[0];
  }

  async #claimForTenant(grants: TenantGrants): Promise<void> {
    const db = this.db.for(grants[0].endpoint);
    const claims = await claim(db, grants, this.options.leaseMs).catch((error: unknown) => {
      for (const { endpoint, slots } of grants) {
        this.#release(endpoint, slots);
        this.#due.delete(keyOf(endpoint));
      }
      throw error;
    });
    for (const { endpoint, slots } of grants) {
      const { endpointId, subject } = endpoint;
      const claimed = claims.filter(
        (claim) => claim.endpointId === endpointId && (subject ?? claim.subject) === claim.subject,
      );
      for (const claim of claimed) this.#begin(endpoint, claim);
      this.#release(endpoint, slots - claimed.length);
      // Otherwise an attempt has ended meanwhile, or a poll.
      if (this.#due.get(keyOf(endpoint)) !== endpoint) continue;
      this.#due.delete(keyOf(endpoint));
      const last = inOrder(claimed).at(-1);
      if (subject === null) {
        // Otherwise the endpoint has no more due deliveries until an attempt ends or the next poll.
        if (last && claimed.length === slots)
          this.#due.set(keyOf(endpoint), { ...endpoint, ...positionOf(last) });
      } else if (!last && !this.#subjects.has(keyOf(endpoint))) this.#searchFrom(endpoint);
    }
  }

  /** Searches all subjects from this position, or from an earlier one: what is due before was committed late and waits for the next poll. */
  #searchFrom(endpoint: Waiting): void {
    const key = keyOf({ ...endpoint, subject: null });
    const [first = endpoint] = inOrder([endpoint, this.#due.get(key) ?? endpoint]);
    // Re-insert at the end of the map, for round-robin.
    this.#due.delete(key);
    this.#due.set(key, { ...endpoint, ...positionOf(first), subject: null });
  }

  #release(endpoint: Waiting, slots: number): void {
    for (let count = 0; count < slots; count += 1) this.#slots.release(endpoint);
  }

  #begin(endpoint: Waiting, claim: ClaimedDelivery): void {
    const key = keyOf({ ...endpoint, subject: claim.subject });
    this.#subjects.add(key);
    const attempt = this.#attempt(endpoint, claim).finally(() => {
      this.#subjects.delete(key);
      this.#slots.release(endpoint);
      this.#inProgress.delete(attempt);
      this.#wake();
    });
    this.#inProgress.add(attempt);
  }

  async #attempt(endpoint: Waiting, claim: ClaimedDelivery): Promise<void> {
    try {
      const { hasAnswered, isPaused } = await this.attempts.make(claim, this.#log);
      const all = { ...endpoint, subject: null };
      const known = this.#due.get(keyOf(all));
      if (isPaused) this.#due.delete(keyOf(all));
      else {
        if (known && (known.isProbed || known.hasAnswered !== hasAnswered))
          this.#due.set(keyOf(all), { ...known, hasAnswered, isProbed: false });
        // The subject's next delivery may be due now.
        const { subject } = claim;
        const next = { ...all, ...positionOf(claim), subject, hasAnswered, isProbed: false };
        this.#due.set(keyOf(next), next);
      }
    } catch (error) {
      const { endpointId, eventId, accountId } = claim;
      this.#log.warn({ endpointId, eventId, accountId, err: error }, "webhook attempt could not be recorded");
    }
  }

  async #pause(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, this.#pollIntervalMs());
      this.#endPause = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  /** Limits polling to a tenth of the time: a long backlog of one subject or a busy connection pool makes it slow. */
  #pollIntervalMs(): number {
    return Math.max(this.options.pollMs, Math.min(9 * this.#pollDurationMs, MAX_POLL_INTERVAL_MS));
  }

  /** Ends the pause. */
  #wake(): void {
    this.#isWoken = true;
    this.#endPause();
  }
}

async function claim(db: TenantDb, grants: TenantGrants, leaseMs: number): Promise<ClaimedDelivery[]> {
  if (grants[0].endpoint.subject === null) return claimDue(db, grants, leaseMs);
  const searches = grants.map(({ endpoint: { endpointId, subject, id } }) => ({
    endpointId,
    subject: subject ?? "",
    formerId: id,
  }));
  return claimNext(db, searches, leaseMs);
}

function keyOf({ endpointId, subject }: Waiting): string {
  return `${endpointId} ${subject ?? ""}`;
}

function positionOf({ dueAt, id }: DuePosition): DuePosition {
  return { dueAt, id };
}

function inOrder(positions: readonly DuePosition[]): DuePosition[] {
  return positions.toSorted((a, b) => a.dueAt.getTime() - b.dueAt.getTime() || a.id - b.id);
}

function byTenant(grants: readonly ClaimGrant[]): Iterable<TenantGrants> {
  const tenants = new Map<string, [ClaimGrant, ...ClaimGrant[]]>();
  for (const grant of grants) {
    const { accountId, environment, subject } = grant.endpoint;
    const key = `${accountId} ${environment} ${subject === null}`;
    const others = tenants.get(key);
    if (others) others.push(grant);
    else tenants.set(key, [grant]);
  }
  return tenants.values();
}
