import { Database } from "../../../src/persistence/database/database.js";
import { planDistribution, runDistributionStep } from "../../../src/persistence/database/distribution.js";
import type { DatabaseOptions } from "../../../src/persistence/shared/database-options.js";

/** Two on each worker: each costs time to create and to move. */
export const SHARDS = 4;

/** Distributes the tables. @param maxSteps after which it is interrupted @returns the number of steps */
export async function distribute(
  target: DatabaseOptions["target"],
  maxSteps = Number.POSITIVE_INFINITY,
): Promise<number> {
  return withOwner(target, async (owner) => {
    const steps = (await planDistribution(owner, SHARDS)).slice(0, maxSteps);
    for (const step of steps) await runDistributionStep(owner, step);
    return steps.length;
  });
}

export async function withOwner<T>(
  target: DatabaseOptions["target"],
  work: (owner: Database) => Promise<T>,
): Promise<T> {
  const options = { target, poolSize: 2, connectTimeoutMs: 10_000, statementTimeoutMs: 0 };
  const owner = await Database.connect(options);
  try {
    return await work(owner);
  } finally {
    await owner.close();
  }
}
