import { setTimeout as sleep } from "node:timers/promises";

const DAY_MS = 86_400_000;
/** More than a file of tests takes on a busy machine, and less than a hook may take. */
const NEAR_MS = 240_000;

/** Waits until midnight UTC has passed if it is near: what tests count per day then belongs to one day. */
export async function avoidMidnight(): Promise<void> {
  const left = DAY_MS - (Date.now() % DAY_MS);
  if (left < NEAR_MS) await sleep(left);
}
