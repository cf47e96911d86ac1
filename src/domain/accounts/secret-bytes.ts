import { randomFillSync } from "node:crypto";

const POOL_BYTES = 4096;
const pool = Buffer.alloc(POOL_BYTES);
let used = POOL_BYTES;

/**
 * Random bytes of the operating system, which is asked for many at once: a call takes longer than the bytes. What was handed out is
 * wiped from the store.
 * @throws RangeError for more than the store holds
 */
export function secretBytes(count: number): Buffer {
  if (count > POOL_BYTES) throw new RangeError(`At most ${POOL_BYTES} bytes can be asked for at once.`);
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
