import { randomFillSync } from "node:crypto";

const POOL_BYTES = 4096;
const pool = Buffer.alloc(POOL_BYTES);
let used = POOL_BYTES;

/**
 * Returns cryptographically secure random bytes. They are generated in batches because a system call takes longer than the bytes.
 * Returned bytes are erased from the pool.
 * @throws RangeError if `count` exceeds the pool size
 */
export function secretBytes(count: number): Buffer {
  if (count > POOL_BYTES)
    throw new RangeError(`At most ${POOL_BYTES} random bytes can be requested at once.`);
  if (used + count > POOL_BYTES) {
    randomFillSync(pool);
    used = 0;
  }
  const bytes = Buffer.alloc(count);
  pool.copy(bytes, 0, used, used + count);
  pool.fill(0, used, used + count);
  used += count;
  return bytes;
}
