import { hash } from "node:crypto";

const FIRST_SLOTS = 1 << 12;

/**
 * Remembers which keys have come, as fingerprints of 64 bits: 16 to 32 bytes for each, whatever its length. That two of a million
 * keys have the same fingerprint happens once in thirty million imports; the later one then counts as seen.
 */
export class SeenKeys {
  #slots = new BigUint64Array(FIRST_SLOTS);
  #count = 0;

  /** @returns whether the key has not come before */
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

/** 0 stands for an empty slot. */
function fingerprintOf(key: string): bigint {
  return hash("sha1", key, "buffer").readBigUInt64LE() || 1n;
}

function put(slots: BigUint64Array, fingerprint: bigint): boolean {
  const slot = slotOf(slots, fingerprint);
  if (slots[slot] === fingerprint) return false;
  slots[slot] = fingerprint;
  return true;
}

/** Where the fingerprint stands, or else the empty slot where it belongs. */
function slotOf(slots: BigUint64Array, fingerprint: bigint): number {
  const mask = slots.length - 1;
  let slot = Number(fingerprint & BigInt(mask));
  while (slots[slot] !== 0n && slots[slot] !== fingerprint) slot = (slot + 1) & mask;
  return slot;
}
