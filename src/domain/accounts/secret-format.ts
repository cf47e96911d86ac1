import { randomFillSync } from "node:crypto";
import { crc32 } from "node:zlib";

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

/**
 * Issued secrets have the form `<prefix><account, 6><random, 43><checksum, 6>` in base 62. The account routes a lookup to
 * its shard, 256 random bits prevent guessing, and the CRC-32 rejects typos without a database call.
 */
const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const BASE = ALPHABET.length;
const ACCOUNT_LENGTH = 6;
const RANDOM_LENGTH = 43;
const CHECKSUM_LENGTH = 6;
/** PostgreSQL's maximum integer. Six digits can encode larger IDs, which the database would reject with an error. */
const MAX_ACCOUNT_ID = 2 ** 31 - 1;
const BODY = new RegExp(`^[0-9A-Za-z]{${ACCOUNT_LENGTH + RANDOM_LENGTH + CHECKSUM_LENGTH}}$`);

/** Creates a new secret for an account. */
export function issueCredential(prefix: string, accountId: number): string {
  const stem = `${prefix}${base62(accountId, ACCOUNT_LENGTH)}${randomDigits(RANDOM_LENGTH)}`;
  return stem + checksum(stem);
}

/**
 * Parses the account ID from a secret.
 * @returns null if the text is no secret with this prefix, its checksum is wrong, or the account ID is out of range
 */
export function parseCredential(prefix: string, text: string): { readonly accountId: number } | null {
  if (!text.startsWith(prefix) || !BODY.test(text.slice(prefix.length))) return null;
  const stem = text.slice(0, -CHECKSUM_LENGTH);
  if (checksum(stem) !== text.slice(-CHECKSUM_LENGTH)) return null;
  const account = text.slice(prefix.length, prefix.length + ACCOUNT_LENGTH);
  const accountId = [...account].reduce((sum, digit) => sum * BASE + ALPHABET.indexOf(digit), 0);
  return accountId > MAX_ACCOUNT_ID ? null : { accountId };
}

function checksum(stem: string): string {
  return base62(crc32(stem), CHECKSUM_LENGTH);
}

/** Returns uniformly distributed digits: 6-bit values beyond the alphabet are rejected to avoid modulo bias. */
function randomDigits(length: number): string {
  let digits = "";
  while (digits.length < length) {
    for (const byte of secretBytes(length)) {
      const digit = byte & 0b11_1111;
      if (digit < BASE && digits.length < length) digits += ALPHABET.charAt(digit);
    }
  }
  return digits;
}

function base62(value: number, length: number): string {
  let rest = value;
  let digits = "";
  while (rest > 0) {
    digits = ALPHABET.charAt(rest % BASE) + digits;
    rest = Math.floor(rest / BASE);
  }
  return digits.padStart(length, "0");
}
