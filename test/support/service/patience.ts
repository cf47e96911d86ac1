import { availableParallelism, loadavg } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";

const PATIENCE_MS = 20_000;

/** Settings of a service whose time limits a busy machine does not reach. */
export const PATIENT = {
  REQUEST_TIMEOUT_MS: "120000",
  DATABASE_CONNECT_TIMEOUT_MS: "60000",
  DATABASE_STATEMENT_TIMEOUT_MS: "60000",
};

/**
 * Returns how many milliseconds to wait for something that takes less than a second on an idle machine: so a fault is noticed soon, and a
 * busy machine has more time.
 */
export function patienceMs(): number {
  const [load = 0] = loadavg();
  return PATIENCE_MS * Math.max(1, load / availableParallelism());
}

/** Waits for a promise. @param what names it in the error @throws Error if it takes longer than `patienceMs` */
export async function soon<Result>(what: string, promise: Promise<Result>): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    const patience = patienceMs();
    timer = setTimeout(() => reject(new Error(`${what} did not come within ${patience} ms.`)), patience);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

/** Polls a condition, as long as the test may take. */
export async function until(holds: () => Promise<boolean> | boolean): Promise<void> {
  while (!(await holds())) await sleep(20);
}
