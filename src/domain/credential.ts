import { randomBytes } from "node:crypto";
import { crc32 } from "node:zlib";

/**
 * Secrets that we issue read `<prefix><account, 6><random, 43><checksum, 6>` in base 62: the account routes a look-up to
 * its shard, 256 random bits make guessing hopeless, and the CRC-32 lets a typo be refused without a database call.
 */
const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const ACCOUNT_LENGTH = 6;
const RANDOM_LENGTH = 43;
const CHECKSUM_LENGTH = 6;
const BODY = new RegExp(`^[0-9A-Za-z]{${ACCOUNT_LENGTH + RANDOM_LENGTH + CHECKSUM_LENGTH}}$`);

/** Makes a new secret of an account. */
export function issueCredential(prefix: string, accountId: number): string {
  const random = BigInt(`0x${randomBytes(32).toString("hex")}`);
  const stem = `${prefix}${base62(BigInt(accountId), ACCOUNT_LENGTH)}${base62(random, RANDOM_LENGTH)}`;
  return stem + checksum(stem);
}

/**
 * Reads which account a secret belongs to.
 * @returns null when the text is no secret with this prefix, or its checksum is wrong
 */
export function readCredential(prefix: string, text: string): { readonly accountId: number } | null {
  if (!text.startsWith(prefix) || !BODY.test(text.slice(prefix.length))) return null;
  const stem = text.slice(0, -CHECKSUM_LENGTH);
  if (checksum(stem) !== text.slice(-CHECKSUM_LENGTH)) return null;
  const account = text.slice(prefix.length, prefix.length + ACCOUNT_LENGTH);
  return { accountId: [...account].reduce((sum, digit) => sum * 62 + ALPHABET.indexOf(digit), 0) };
}

function checksum(stem: string): string {
  return base62(BigInt(crc32(stem)), CHECKSUM_LENGTH);
}

function base62(value: bigint, length: number): string {
  let rest = value;
  let digits = "";
  while (rest > 0n) {
    digits = ALPHABET.charAt(Number(rest % 62n)) + digits;
    rest /= 62n;
  }
  return digits.padStart(length, "0");
}
