import { describe, expect, test } from "vitest";
import { DeliverySlots, type Waiting } from "../../src/services/webhooks/dispatcher.js";

const LIMITS = { total: 10, perAccount: 6, perEndpoint: 3 };

const ENDPOINT = {
  environment: "Customer",
  hasAnswered: true,
  isProbed: false,
  firstPendingId: 1,
  subject: null,
  dueAt: new Date(0),
  id: 1,
} as const;
const endpoint = (accountId: number, endpointId: number, more: Partial<Waiting> = {}): Waiting => ({
  ...ENDPOINT,
  accountId,
  endpointId,
  ...more,
});

/** The number of slots that each endpoint gets, by its ID. */
function take(slots: DeliverySlots, endpoints: readonly Waiting[]): Record<number, number> {
  return Object.fromEntries(slots.take(endpoints).map((grant) => [grant.endpoint.endpointId, grant.slots]));
}

describe("DeliverySlots", () => {
  test("distributes slots round-robin within the limits per endpoint, per account and in total", () => {
    expect(take(new DeliverySlots(LIMITS), [endpoint(1, 1)])).toEqual({ 1: 3 });
    const ofOne = [1, 2, 3].map((id) => endpoint(1, id));
    expect(take(new DeliverySlots(LIMITS), ofOne)).toEqual({ 1: 2, 2: 2, 3: 2 });
    const slots = new DeliverySlots(LIMITS);
    const ofFive = [1, 2, 3, 4, 5].map((id) => endpoint(id, id));
    expect(take(slots, ofFive)).toEqual({ 1: 2, 2: 2, 3: 2, 4: 2, 5: 2 });
    expect(slots.used).toBe(10);
    expect(take(slots, [endpoint(6, 6)])).toEqual({});
  });

  test("gives endpoints that have not answered at most half of all slots and of their account's", () => {
    const slots = new DeliverySlots(LIMITS);
    const unproven = { hasAnswered: false };
    expect(take(slots, [endpoint(1, 1, unproven), endpoint(1, 2, unproven)])).toEqual({ 1: 2, 2: 1 });
    expect(take(slots, [endpoint(2, 3, unproven), endpoint(3, 4, unproven)])).toEqual({ 3: 1, 4: 1 });
    expect(take(slots, [endpoint(1, 5), endpoint(4, 6)])).toEqual({ 5: 3, 6: 2 });
  });

  test("gives a probed endpoint one slot", () => {
    expect(take(new DeliverySlots(LIMITS), [endpoint(1, 1, { isProbed: true })])).toEqual({ 1: 1 });
  });

  test("returns released slots to the same budget", () => {
    const slots = new DeliverySlots(LIMITS);
    const unproven = endpoint(1, 1, { hasAnswered: false });
    expect(take(slots, [unproven])).toEqual({ 1: 3 });
    for (let count = 0; count < 3; count += 1) slots.release(unproven);
    expect(slots.used).toBe(0);
    expect(take(slots, [unproven])).toEqual({ 1: 3 });
  });

  test("gives an endpoint that has not answered at least one slot", () => {
    const slots = new DeliverySlots({ total: 1, perAccount: 1, perEndpoint: 1 });
    expect(take(slots, [endpoint(1, 1, { hasAnswered: false })])).toEqual({ 1: 1 });
  });
});
