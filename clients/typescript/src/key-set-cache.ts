import { ConnectionError } from "./errors.js";
import { isJsonObject } from "./reply.js";

/** The service's public keys, as `/.well-known/jwks.json` returns them. */
export interface KeySet {
  readonly keys: readonly Readonly<Record<string, unknown>>[];
}

/** The service publishes a new key 15 minutes before it signs, and a revoked one no longer. */
const MAX_AGE_MS = 300_000;
/** Minimum age of a key set that lacks a key before it is loaded again: anybody can name an unknown key. */
const MIN_AGE_MS = 10_000;
const TIMEOUT_MS = 10_000;

interface LoadedKeySet {
  readonly keys: Promise<KeySet>;
  readonly loadedAt: number;
}

const cache = new Map<string, LoadedKeySet>();

/** Returns the key set of a URL, at most five minutes old. @param keyId of the key that it should have @throws ConnectionError */
export async function loadKeySet(url: string | URL, keyId: unknown): Promise<KeySet> {
  const known = cache.get(String(url));
  const age = known ? performance.now() - known.loadedAt : Number.POSITIVE_INFINITY;
  if (known && age < MAX_AGE_MS) {
    const keySet = await known.keys;
    if (age < MIN_AGE_MS || keySet.keys.some(({ kid }) => kid === keyId)) return keySet;
  }
  // Another call may have begun to load it meanwhile.
  const current = cache.get(String(url));
  if (current && current !== known) return current.keys;
  const loading = { keys: fetchKeySet(url), loadedAt: performance.now() };
  cache.set(String(url), loading);
  loading.keys.catch(() => {
    if (cache.get(String(url)) === loading) cache.delete(String(url));
  });
  return loading.keys;
}

async function fetchKeySet(url: string | URL): Promise<KeySet> {
  try {
    const reply = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS) });
    const content: unknown = await reply.json();
    if (reply.ok && isJsonObject(content) && Array.isArray(content["keys"]))
      return { keys: content["keys"].filter(isJsonObject) };
    throw new Error(`HTTP status ${reply.status}`);
  } catch (cause) {
    throw new ConnectionError(`The service's public keys could not be loaded from ${url}.`, { cause });
  }
}
