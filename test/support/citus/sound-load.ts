import { expect } from "vitest";
import { verifyLoad } from "../faults/load-verification.js";
import type { SteadyLoad } from "../faults/steady-load.js";
import type { TestService } from "../service/test-service.js";

/** Ends a load after further requests. Expects that nothing was lost, no reply was wrong, and the service logged no error. */
export async function endSoundLoad(load: SteadyLoad, service: TestService): Promise<void> {
  const sent = load.journal.calls.length;
  await expect.poll(() => load.journal.calls.length).toBeGreaterThan(sent + 50);
  await load.stop();
  await verifyLoad(load, (text, values) => service.query(text, values));
  expect(service.log.filter((line) => JSON.parse(line).level >= 50)).toEqual([]);
  expect(load.journal.violations).toEqual([]);
}
