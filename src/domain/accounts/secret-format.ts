import { randomInt } from "node:crypto";
import { crc32 } from "node:zlib";

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

function randomDigits(length: number): string {
  return Array.from({ length }, () => ALPHABET.charAt(randomInt(BASE))).join("");
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
