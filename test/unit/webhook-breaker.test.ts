import { describe, expect, test } from "vitest";
import { afterFailure, type BreakerState } from "../../src/domain/webhooks/breaker.js";

const OPTIONS = { pauseAfterFailures: 3, firstPauseMs: 1000, maxPauseMs: 5000, disableAfterMs: 60_000 };
const AT = new Date("2026-11-27T12:00:00Z");
const HEALTHY: BreakerState = {
  consecutiveFailures: 0,
  failingSince: null,
  pausedUntil: null,
  disabledAt: null,
  disabledReason: null,
};
const earlier = (ms: number) => new Date(AT.getTime() - ms);

/** The state after a failed attempt with status 500. */
function fail(former: Partial<BreakerState>, options: Partial<typeof OPTIONS> = {}, status = 500) {
  return afterFailure({ ...HEALTHY, ...former }, { at: AT, status }, { ...OPTIONS, ...options });
}

describe("the circuit breaker", () => {
  test("counts failures and remembers the first one", () => {
    expect(fail({})).toEqual({ ...HEALTHY, consecutiveFailures: 1, failingSince: AT });
    const failingSince = earlier(10);
    expect(fail({ consecutiveFailures: 1, failingSince })).toEqual({
      ...HEALTHY,
      consecutiveFailures: 2,
      failingSince,
    });
  });

  test.each([
    [3, 1000],
    [4, 2000],
    [5, 4000],
    [6, 5000],
    [2000, 5000],
  ])("after %i failures pauses for %i ms, with a jitter of a tenth", (failures, pauseMs) => {
    const pauses = Array.from({ length: 100 }, () => {
      const { pausedUntil } = fail({ consecutiveFailures: failures - 1, failingSince: AT });
      return (pausedUntil?.getTime() ?? Number.NaN) - AT.getTime();
    });
    expect(Math.min(...pauses)).toBeGreaterThanOrEqual(Math.floor(pauseMs * 0.9));
    expect(Math.max(...pauses)).toBeLessThanOrEqual(pauseMs * 1.1);
    expect(new Set(pauses).size).toBeGreaterThan(10);
  });

  test.each([
    ["after failing for the given time", 60_000, 2, {}, "failing"],
    ["not sooner", 59_999, 2, {}, null],
    ["not before it is paused", 60_000, 1, {}, null],
    ["never with 0", 60_000_000, 2, { disableAfterMs: 0 }, null],
  ])("disables an endpoint %s", (_, failedMs, consecutiveFailures, options, disabledReason) => {
    const state = fail({ consecutiveFailures, failingSince: earlier(failedMs) }, options);
    expect(state).toMatchObject({ disabledReason, disabledAt: disabledReason && AT });
  });

  test("disables an endpoint that is gone, unless it is disabled already", () => {
    expect(fail({}, {}, 410)).toMatchObject({ disabledReason: "gone", disabledAt: AT });
    const disabled = { disabledReason: "admin", disabledAt: earlier(5) } as const;
    expect(fail(disabled, {}, 410)).toMatchObject(disabled);
  });
});
