/** API keys that expire within this time are marked. */
export const SOON_MS = 30 * 86_400_000;
