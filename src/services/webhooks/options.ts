import { RETRY_DELAYS_MS } from "../../domain/webhooks/attempt.js";
import type { BreakerOptions } from "../../domain/webhooks/breaker.js";
import { ATTEMPT_TIMEOUT_MS } from "./attempts.js";
import type { SlotLimits } from "./slots.js";
import type { WebhookTargetOptions } from "./targets.js";

const DAY_MS = 86_400_000;

export const DEFAULT_SLOTS: SlotLimits = { total: 100, perAccount: 34, perEndpoint: 4 };
export const DEFAULT_DISABLE_AFTER_DAYS = 3;

const BREAKER: BreakerOptions = {
  pauseAfterFailures: 5,
  firstPauseMs: 10_000,
  maxPauseMs: 300_000,
  disableAfterMs: DEFAULT_DISABLE_AFTER_DAYS * DAY_MS,
};

export interface DeliveryTimes {
  readonly pollMs: number;
  readonly leaseMs: number;
  readonly retryDelaysMs: readonly number[];
}

const TIMES: DeliveryTimes = {
  pollMs: 1000,
  leaseMs: 3 * ATTEMPT_TIMEOUT_MS,
  retryDelaysMs: RETRY_DELAYS_MS,
};

/** Options of webhook delivery; absent ones have defaults. */
export interface WebhookOptions extends WebhookTargetOptions {
  readonly times?: Partial<DeliveryTimes>;
  readonly slots?: Partial<SlotLimits>;
  readonly breaker?: Partial<BreakerOptions>;
  readonly attemptTimeoutMs?: number;
}

/** Returns the options of webhook delivery with defaults applied. */
export function deliveryOptions(options: WebhookOptions) {
  const { times, slots, breaker } = options;
  return {
    ...TIMES,
    ...times,
    slots: { ...DEFAULT_SLOTS, ...slots },
    breaker: { ...BREAKER, ...breaker },
    attemptTimeoutMs: options.attemptTimeoutMs ?? ATTEMPT_TIMEOUT_MS,
  };
}
