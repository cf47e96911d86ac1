import type { DueEndpoint } from "../../persistence/webhooks/outbox.js";

/** Maximum concurrent deliveries of one process. */
export interface SlotLimits {
  readonly total: number;
  readonly perAccount: number;
  readonly perEndpoint: number;
}

type Receiver = Pick<DueEndpoint, "accountId" | "endpointId" | "hasAnswered" | "isProbed">;

interface SlotRequest {
  readonly endpoint: Receiver;
  /** Number of deliveries that may be waiting. */
  readonly maxSlots: number;
}

/**
 * Distributes the free slots round-robin within the limits.
 * @param inProgress the endpoint of each delivery in progress
 * @returns the number of slots of each request that gets any
 */
export function distributeSlots<Request extends SlotRequest>(
  requests: Iterable<Request>,
  inProgress: Iterable<Receiver>,
  limits: SlotLimits,
): Map<Request, number> {
  const used = new Map<string, number>();
  const usedOf = (key: string) => used.get(key) ?? 0;
  const use = (endpoint: Receiver) => {
    for (const { key } of limitsOf(endpoint, limits)) used.set(key, usedOf(key) + 1);
  };
  for (const endpoint of inProgress) use(endpoint);
  const slots = new Map<Request, number>();
  let waiting = [...requests];
  while (waiting.length > 0) {
    waiting = waiting.filter((request) => {
      const { endpoint, maxSlots } = request;
      const granted = slots.get(request) ?? 0;
      if (granted >= maxSlots || limitsOf(endpoint, limits).some(({ key, max }) => usedOf(key) >= max))
        return false;
      use(endpoint);
      slots.set(request, granted + 1);
      return true;
    });
  }
  return slots;
}

/**
 * Returns the limits that a delivery to an endpoint counts towards. Half of all slots and of each account's are reserved for endpoints that
 * answered last time: otherwise three accounts whose receivers hang could occupy all of them.
 */
function limitsOf(
  { accountId, endpointId, hasAnswered, isProbed }: Receiver,
  { total, perAccount, perEndpoint }: SlotLimits,
): { readonly key: string; readonly max: number }[] {
  const limits = [
    { key: "all", max: total },
    { key: `account ${accountId}`, max: perAccount },
    { key: `endpoint ${endpointId}`, max: isProbed ? 1 : perEndpoint },
  ];
  if (hasAnswered) return limits;
  const unproven = [
    { key: "all unproven", max: half(total) },
    { key: `account ${accountId} unproven`, max: half(perAccount) },
  ];
  return [...limits, ...unproven];
}

function half(limit: number): number {
  return Math.max(1, Math.floor(limit / 2));
}
