import { EmbedSessionVerificationError, verifyEmbedSession } from "@user-groups/client";

/** A stand-in for your data: monthly sales by region. */
const SALES = new Map([
  ["EU", { Jan: 120, Feb: 135, Mar: 128, Apr: 160, May: 172, Jun: 190 }],
  ["US", { Jan: 210, Feb: 190, Mar: 240, Apr: 235, May: 260, Jun: 300 }],
]);

/** How long the public keys are cached: the service publishes a new key 15 minutes before it signs. */
const MAX_AGE_MS = 300_000;

/**
 * Returns a function that verifies an embed session offline and returns the sales of its region, which the page cannot change; null if
 * the session is invalid.
 * @param {{ serviceUrl: string, audience: string }} options
 */
export function createSales({ serviceUrl, audience }) {
  /** @type {import("@user-groups/client").KeySet} */
  let keySet = { keys: [] };
  let loadedAt = Number.NEGATIVE_INFINITY;

  async function loadKeys() {
    if (performance.now() - loadedAt < MAX_AGE_MS) return keySet;
    const reply = await fetch(new URL("/.well-known/jwks.json", serviceUrl));
    if (!reply.ok) throw new Error(`The public keys could not be loaded (${reply.status}).`);
    keySet = /** @type {import("@user-groups/client").KeySet} */ (await reply.json());
    loadedAt = performance.now();
    return keySet;
  }

  /** @param {string | undefined} authorization the header `Authorization` */
  return async (authorization) => {
    const token = /^Bearer (\S+)$/.exec(authorization ?? "")?.[1] ?? "";
    try {
      const { variables } = await verifyEmbedSession(token, { keySet: await loadKeys(), audience });
      return SALES.get(String(variables["region"])) ?? {};
    } catch (error) {
      if (error instanceof EmbedSessionVerificationError) return null;
      throw error;
    }
  };
}
