import { hash } from "node:crypto";

const INITIAL_SLOTS = 1 << 12;

/**
 * A set of keys, stored as 64-bit fingerprints: 16 to 32 bytes per key, whatever its length. With a million keys, a collision occurs
 * once in thirty million imports; the later key then counts as seen.
 */
export class SeenKeys {
  #slots = new BigUint64Array(INITIAL_SLOTS);
  #count = 0;

  /** @returns false if the key was already added */
  add(key: string): boolean {
    const fingerprint = fingerprintOf(key);
    if (!put(this.#slots, fingerprint)) return false;
    this.#count += 1;
    if (2 * this.#count > this.#slots.length) this.#grow();
    return true;
  }

  has(key: string): boolean {
    const fingerprint = fingerprintOf(key);
    return this.#slots[slotOf(this.#slots, fingerprint)] === fingerprint;
  }

  #grow(): void {
    const slots = new BigUint64Array(2 * this.#slots.length);
    for (const fingerprint of this.#slots) if (fingerprint !== 0n) put(slots, fingerprint);
    this.#slots = slots;
  }
}

/** Never returns 0, which marks an empty slot. */
function fingerprintOf(key: string): bigint {
  return hash("sha1", key, "buffer").readBigUInt64LE() || 1n;
}

function put(slots: BigUint64Array, fingerprint: bigint): boolean {
  const slot = slotOf(slots, fingerprint);
  if (slots[slot] === fingerprint) return false;
  slots[slot] = fingerprint;
  return true;
}

/** Returns the slot of the fingerprint, or the empty slot for it. */
function slotOf(slots: BigUint64Array, fingerprint: bigint): number {
  const mask = slots.length - 1;
  let slot = Number(fingerprint & BigInt(mask));
  while (slots[slot] !== 0n && slots[slot] !== fingerprint) slot = (slot + 1) & mask;
  return slot;
}
