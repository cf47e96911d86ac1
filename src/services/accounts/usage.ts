import type { TenantKey } from "../../domain/accounts/caller.js";
import { touchApiKeys } from "../../persistence/accounts/api-key-queries.js";
import { addRequests, type RequestCount } from "../../persistence/accounts/request-counts.js";
import { addUpUsage } from "../../persistence/audit/usage-days.js";
import type { Database } from "../../persistence/database/database.js";

const DAY_MS = 86_400_000;
/** Flushes between which nothing is added up: it looks for more than a thousand entries of each tenant. */
const FLUSHES_PER_SUM = 6;
/** Times that a tenant's usage is added up in a row, so that others have their turn. */
const MAX_SUMS = 20;

/** An HTTP request, with what authentication has added to it. */
interface Call {
  readonly tenant?: TenantKey | null;
  readonly consoleSession?: object;
}

/**
 * Records when API keys were last used and counts the calls of each tenant by day, and writes both periodically so that no request waits
 * for the writes.
 */
export class Usage {
  /** Last uses by account and key: Unix times in milliseconds. */
  readonly #uses = new Map<number, Map<number, number>>();
  /** Calls by day and tenant. */
  readonly #counts = new Map<string, RequestCount>();
  /** Tenants that were active since their usage was added up. */
  readonly #active = new Map<string, TenantKey>();
  #timers: readonly NodeJS.Timeout[] = [];
  #isStopped = false;

  constructor(private readonly db: Database) {}

  recordKey(accountId: number, keyId: number): void {
    const uses = this.#uses.get(accountId) ?? new Map<number, number>();
    this.#uses.set(accountId, uses.set(keyId, Date.now()));
  }

  /** Counts a request, or an operation over a WebSocket, unless it is without credentials or from the console. */
  recordCall({ tenant, consoleSession }: Call, hasFailed: boolean): void {
    // The console would change the numbers that it shows.
    if (!tenant || consoleSession) return;
    const { accountId, environment } = tenant;
    const day = Math.floor(Date.now() / DAY_MS);
    const key = `${day} ${accountId} ${environment}`;
    const { calls = 0, errors = 0 } = this.#counts.get(key) ?? {};
    const failed = hasFailed ? 1 : 0;
    this.#counts.set(key, { accountId, environment, day, calls: calls + 1, errors: errors + failed });
  }

  /** Records that the usage of a tenant was read, so that it is added up also if the tenant makes no calls. */
  recordRead({ accountId, environment }: TenantKey): void {
    this.#active.set(`${accountId} ${environment}`, { accountId, environment });
  }

  /** Flushes every `intervalMs`, and adds up less often. Errors are passed to `onError`, and the next flush retries the write. */
  start(intervalMs: number, onError: (error: unknown) => void): void {
    const repeat = (work: () => Promise<void>, everyMs: number) =>
      setInterval(() => {
        work().catch(onError);
      }, everyMs).unref();
    this.#timers = [
      repeat(() => this.flush(), intervalMs),
      repeat(() => this.addUp(), FLUSHES_PER_SUM * intervalMs),
    ];
  }

  stop(): void {
    this.#isStopped = true;
    this.#timers.forEach(clearInterval);
  }

  /** Adds up the usage of active tenants by day. @throws the first error, after the other tenants */
  async addUp(): Promise<void> {
    const failures: unknown[] = [];
    const active = [...this.#active.values()];
    this.#active.clear();
    for (const tenant of active) {
      try {
        let sums = 0;
        while (sums < MAX_SUMS && !this.#isStopped && (await addUpUsage(this.db.for(tenant)))) sums += 1;
      } catch (error) {
        this.recordRead(tenant);
        failures.push(error);
      }
    }
    if (failures.length > 0) throw failures[0];
  }

  /** Writes account by account, as their rows may be on different servers. @throws the first error; what was not written is kept */
  async flush(): Promise<void> {
    const [accounts, counts] = [[...this.#uses], [...this.#counts]];
    this.#uses.clear();
    this.#counts.clear();
    const failures: unknown[] = [];
    for (const [accountId, uses] of accounts) {
      try {
        await touchApiKeys(this.db.of("operator"), accountId, uses);
      } catch (error) {
        failures.push(error);
        this.#uses.set(accountId, new Map([...uses, ...(this.#uses.get(accountId) ?? [])]));
      }
    }
    for (const [key, count] of counts) {
      try {
        await addRequests(this.db.for(count), count);
        this.recordRead(count);
      } catch (error) {
        failures.push(error);
        const { calls = 0, errors = 0 } = this.#counts.get(key) ?? {};
        this.#counts.set(key, { ...count, calls: calls + count.calls, errors: errors + count.errors });
      }
    }
    if (failures.length > 0) throw failures[0];
  }
}
