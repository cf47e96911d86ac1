/** A secret that has no format to know it by, such as a key or a password. */
export interface KnownSecret {
  readonly name: string;
  readonly value: Buffer;
}

/** Where a secret stands that must not be there. */
export interface Finding {
  readonly what: string;
  /** What stands before it, and its first characters. */
  readonly excerpt: string;
}

/** Each format by what a secret begins with; the hint of a key goes on with an ellipsis, which is none of these characters. */
const FORMATS = [
  { what: "an API key", prefix: "ugk_(?:live|test)_" },
  { what: "a user group token", prefix: "ugt_" },
  { what: "a webhook secret", prefix: "whsec_" },
];
/** The length of what follows at which even random bytes cannot be meant. */
const SURE_LENGTH = 20;
/** The lengths from which a run of hex or base64 digits may spell a secret of ours, which has at least 49 characters. */
const HEX_LENGTH = 98;
const BASE64_LENGTH = 64;

/**
 * Looks for secrets in what was logged or stored: for all that begins like one of ours, even a false one, as it stands, and for all
 * that looks like a whole one in hex or base64; for known ones in each spelling.
 */
export function findSecrets(text: string, known: readonly KnownSecret[]): Finding[] {
  const bytes = decodedHex(text);
  const decoded = [...bytes, ...[text, ...bytes].flatMap(decodedBase64)];
  return [
    ...findFormats(text, 1),
    ...decoded.flatMap((part) => [...findFormats(part, SURE_LENGTH), ...findKnown(part, known)]),
    ...findKnown(text, known),
  ];
}

/** Looks for whole secrets in bytes of any kind, as they stand. */
export function findSecretsInBytes(bytes: Buffer, known: readonly KnownSecret[]): Finding[] {
  const text = bytes.toString("latin1");
  return [...findFormats(text, SURE_LENGTH), ...findKnown(text, known)];
}

function findFormats(text: string, length: number): Finding[] {
  return FORMATS.flatMap(({ what, prefix }) =>
    [...text.matchAll(new RegExp(`${prefix}[0-9A-Za-z+/]{${length},}`, "g"))].map(({ index }) => ({
      what,
      excerpt: excerptOf(text, index),
    })),
  );
}

function findKnown(text: string, known: readonly KnownSecret[]): Finding[] {
  return known.flatMap(({ name, value }) =>
    spellingsOf(value)
      .map((spelling) => text.indexOf(spelling))
      .filter((index) => index >= 0)
      .map((index) => ({ what: name, excerpt: excerptOf(text, index) })),
  );
}

function spellingsOf(value: Buffer): string[] {
  const base64 = value.toString("base64").replace(/=+$/, "");
  return [
    ...new Set([
      value.toString("latin1"),
      value.toString("hex"),
      base64,
      base64.replaceAll("+", "-").replaceAll("/", "_"),
      encodeURIComponent(base64),
    ]),
  ];
}

/** What runs of hex digits spell: PostgreSQL shows bytes so. */
function decodedHex(text: string): string[] {
  return decode(text, new RegExp(`[0-9a-f]{${HEX_LENGTH},}`, "gi"), "hex", [0, 1]);
}

/** What runs of base64 spell, wherever in a group of four characters they begin. */
function decodedBase64(text: string): string[] {
  return decode(text, new RegExp(`[\\w+/-]{${BASE64_LENGTH},}`, "g"), "base64", [0, 1, 2, 3]);
}

function decode(text: string, runs: RegExp, encoding: BufferEncoding, starts: readonly number[]): string[] {
  return [...text.matchAll(runs)].flatMap(([run]) =>
    starts.map((start) => Buffer.from(run.slice(start), encoding).toString("latin1")),
  );
}

function excerptOf(text: string, index: number): string {
  const start = Math.max(text.lastIndexOf("\n", index) + 1, index - 160);
  return JSON.stringify(`${text.slice(start, index + 12)}…`);
}
