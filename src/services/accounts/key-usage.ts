import { touchApiKeys } from "../../persistence/accounts/api-key-queries.js";
import type { Database } from "../../persistence/database/database.js";

interface KeyUse {
  readonly accountId: number;
  readonly keyId: number;
  /** Unix time in milliseconds. */
  readonly at: number;
}

/** Records when API keys were last used, and writes it periodically so that no request waits for the write. */
export class KeyUsage {
  readonly #db: Database;
  readonly #uses = new Map<number, KeyUse>();
  #timer: NodeJS.Timeout | undefined;

  constructor(db: Database) {
    this.#db = db;
  }

  record(accountId: number, keyId: number): void {
    this.#uses.set(keyId, { accountId, keyId, at: Date.now() });
  }

  /** Flushes every `intervalMs`. Errors are passed to `onError`, and the next flush retries the write. */
  start(intervalMs: number, onError: (error: unknown) => void): void {
    this.#timer = setInterval(() => {
      this.flush().catch(onError);
    }, intervalMs);
    this.#timer.unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** Writes account by account, as their rows may be on different servers. @throws the first error; its uses are kept */
  async flush(): Promise<void> {
    const accounts = new Map<number, KeyUse[]>();
    for (const use of this.#uses.values()) {
      const uses = accounts.get(use.accountId);
      if (uses) uses.push(use);
      else accounts.set(use.accountId, [use]);
    }
    this.#uses.clear();
    const failures: unknown[] = [];
    for (const [accountId, uses] of accounts) {
      try {
        await touchApiKeys(this.#db.of("operator"), accountId, uses);
      } catch (error) {
        failures.push(error);
        for (const use of uses) if (!this.#uses.has(use.keyId)) this.#uses.set(use.keyId, use);
      }
    }
    if (failures.length > 0) throw failures[0];
  }
}
