/** A secret without a recognizable format, such as a key or a password. */
export interface KnownSecret {
  readonly name: string;
  readonly value: Buffer;
}

/** A found secret. */
export interface Finding {
  readonly what: string;
  /** The text before it, and its first characters. */
  readonly excerpt: string;
}

/** The secret formats by prefix; the hint of a key ends with an ellipsis, which is not one of these characters. */
const FORMATS = [
  { what: "an API key", prefix: "ugk_(?:live|test)_" },
  { what: "a user group token", prefix: "ugt_" },
  { what: "a webhook secret", prefix: "whsec_" },
];
/** Minimum length at which a match cannot be random bytes. */
const SURE_LENGTH = 20;
/** Minimum lengths of hex or base64 runs that can encode one of our secrets, which have at least 49 characters. */
const HEX_LENGTH = 98;
const BASE64_LENGTH = 64;

/**
 * Searches logged or stored text for secrets: anything with one of our prefixes, even if incomplete, as plain text;
 * complete secrets in hex or base64; and known secrets in every encoding.
 */
export function findSecrets(text: string, known: readonly KnownSecret[]): Finding[] {
  const bytes = decodedHex(text);
  // One by one: together they can be longer than a string may be.
  const decoded = [...bytes, ...[text, ...bytes].flatMap(decodedBase64)];
  return [
    ...findFormats(text, 1),
    ...decoded.flatMap((part) => [...findFormats(part, SURE_LENGTH), ...findKnown(part, known)]),
    ...findKnown(text, known),
  ];
}

/** Searches bytes of any kind for complete, unencoded secrets. */
export function findSecretsInBytes(bytes: Buffer, known: readonly KnownSecret[]): Finding[] {
  const text = bytes.toString("latin1");
  return [...findFormats(text, SURE_LENGTH), ...findKnown(text, known)];
}

function findFormats(text: string, length: number): Finding[] {
  return FORMATS.flatMap(({ what, prefix }) =>
    [...text.matchAll(new RegExp(`${prefix}(?:[0-9A-Za-z+/]|%2[BF]){${length},}`, "g"))].map(({ index }) => ({
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

/** Decodes runs of hex digits, as PostgreSQL prints bytes. */
function decodedHex(text: string): string[] {
  return decode(text, runsOf("[0-9a-fA-F]", HEX_LENGTH), "hex", [0, 1]);
}

/** Decodes runs of base64 at each of the four possible offsets. */
function decodedBase64(text: string): string[] {
  return decode(text, runsOf("[\\w+/-]", BASE64_LENGTH), "base64", [0, 1, 2, 3]);
}

/** Matches whole runs of characters, and tries each run once: not from each of its characters. */
function runsOf(characters: string, length: number): RegExp {
  return new RegExp(`(?<!${characters})${characters}{${length},}`, "g");
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

/** Returns a secret with another character before the last one, of which base64url may ignore bits. */
export function mistyped(secret: string): string {
  return secret.replace(/.(?=.$)/, (character) => (character === "A" ? "B" : "A"));
}
