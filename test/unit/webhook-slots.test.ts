import { describe, expect, test } from "vitest";
import { distributeSlots } from "../../src/services/webhooks/slots.js";

const LIMITS = { total: 10, perAccount: 6, perEndpoint: 3 };
const UNPROVEN = { hasAnswered: false };

const endpoint = (
  accountId: number,
  endpointId: number,
  more: { hasAnswered?: boolean; isProbed?: boolean } = {},
) => ({
  accountId,
  endpointId,
  hasAnswered: true,
  isProbed: false,
  ...more,
});
type Endpoint = ReturnType<typeof endpoint>;

/** The number of slots that each endpoint gets, by its ID. */
function distribute(
  endpoints: readonly Endpoint[],
  inProgress: readonly Endpoint[] = [],
  { maxSlots = 100, limits = LIMITS } = {},
): Record<number, number> {
  const requests = endpoints.map((each) => ({ endpoint: each, maxSlots }));
  const slots = distributeSlots(requests, inProgress, limits);
  return Object.fromEntries([...slots].map(([request, count]) => [request.endpoint.endpointId, count]));
}

describe("slots of deliveries are distributed", () => {
  test("round-robin within the limits per endpoint, per account and in total", () => {
    expect(distribute([endpoint(1, 1)])).toEqual({ 1: 3 });
    expect(distribute([1, 2, 3].map((id) => endpoint(1, id)))).toEqual({ 1: 2, 2: 2, 3: 2 });
    const ofFive = [1, 2, 3, 4, 5].map((id) => endpoint(id, id));
    expect(distribute(ofFive)).toEqual({ 1: 2, 2: 2, 3: 2, 4: 2, 5: 2 });
    expect(distribute([endpoint(6, 6)], [...ofFive, ...ofFive])).toEqual({});
  });

  test("as far as they can be used", () => {
    expect(distribute([endpoint(1, 1), endpoint(1, 2)], [], { maxSlots: 2 })).toEqual({ 1: 2, 2: 2 });
  });

  test("to endpoints that have not answered at most half of all and of their account's", () => {
    const [one, two] = [endpoint(1, 1, UNPROVEN), endpoint(1, 2, UNPROVEN)];
    expect(distribute([one, two])).toEqual({ 1: 2, 2: 1 });
    const others = [endpoint(2, 3, UNPROVEN), endpoint(3, 4, UNPROVEN)];
    expect(distribute(others, [one, one, two])).toEqual({ 3: 1, 4: 1 });
    expect(distribute([endpoint(1, 5), endpoint(4, 6)], [one, one, two, ...others])).toEqual({ 5: 3, 6: 2 });
  });

  test("to a probed endpoint one", () => {
    expect(distribute([endpoint(1, 1, { isProbed: true })])).toEqual({ 1: 1 });
  });

  test("to an endpoint that has not answered at least one", () => {
    const limits = { total: 1, perAccount: 1, perEndpoint: 1 };
    expect(distribute([endpoint(1, 1, UNPROVEN)], [], { limits })).toEqual({ 1: 1 });
  });
});
