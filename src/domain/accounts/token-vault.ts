import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from "node:crypto";
import { LRUCache } from "lru-cache";
import type { CountLookup } from "../../telemetry/metrics.js";

/** A token as stored: nonce, ciphertext and authentication tag, encrypted under the key `keyId`. */
export interface EncryptedToken {
  readonly keyId: string;
  readonly ciphertext: Buffer;
}

/** An encrypted user group token and the keyed hash by which its row is found. */
export interface StoredToken extends EncryptedToken {
  readonly lookup: Buffer;
}

/** A `StoredToken` as text: one column is cheaper to read than two. */
export interface StoredTokenText {
  readonly keyId: string;
  /** Ciphertext followed by lookup hash, in hexadecimal. */
  readonly hex: string;
}

/** Associated data (AAD) of a ciphertext, which prevents decryption in another row. */
export interface TokenBinding {
  readonly accountId: number;
  readonly id: number | string;
  readonly kind: "webhookEndpoint" | "idempotentRequest" | "signingKey" | "sessionTemplate";
}

/** The account that a new token is encrypted for. */
interface TokenOwner {
  readonly accountId: number;
  readonly tokenKeyId: string;
}

/** The row of an encrypted token. */
interface TokenRow {
  readonly accountId: number;
  readonly id: number;
}

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

const LOOKUP_DIGITS = 64;
const PSEUDONYM_DIGITS = 32;
/** Suffix of the key ID in user group rows: the version of the format of their tokens, which are bound to their lookup hash. */
const LOOKUP_BOUND = ".2";

interface DecryptedToken extends StoredTokenText {
  readonly token: string;
}

interface VaultKey {
  readonly id: string;
  /** The key ID as stored in user group rows. */
  readonly tokenKeyId: string;
  readonly encryption: Buffer;
  readonly lookup: Buffer;
  readonly pseudonym: Buffer;
  readonly session: Buffer;
  readonly sessionLookup: Buffer;
}

/**
 * Encrypts user group tokens with AES-256-GCM and finds them by a keyed hash (decision 14). Also encrypts secrets of webhooks and session
 * templates, and stored replies. New accounts use the first key; existing ciphertexts keep their key until they are re-encrypted.
 */
export class TokenVault {
  readonly #keys: readonly VaultKey[];
  readonly #keyIds: ReadonlySet<string>;
  readonly #primary: VaultKey;
  /** Recently decrypted group tokens, by account and group ID. */
  readonly #decrypted: LRUCache<string, DecryptedToken> | null;

  /**
   * @param keys 32 bytes each; the first one encrypts for new accounts
   * @param cacheSize maximum number of decrypted group tokens in the cache; decryption dominates the cost of reading a token
   */
  constructor(
    keys: readonly [Buffer, ...Buffer[]],
    cacheSize = 0,
    private readonly countLookup?: CountLookup,
  ) {
    this.#decrypted = cacheSize > 0 ? new LRUCache({ max: cacheSize }) : null;
    this.#primary = deriveKey(keys[0]);
    this.#keys = [this.#primary, ...keys.slice(1).map(deriveKey)];
    this.#keyIds = new Set(this.#keys.map(({ id }) => id));
  }

  /** ID of the key for new accounts. It is derived from the key itself, so that two keys never share an ID. */
  get primaryKeyId(): string {
    return this.#primary.id;
  }

  /** The primary key's ID as stored in user group rows. */
  get primaryTokenKeyId(): string {
    return this.#primary.tokenKeyId;
  }

  /** Returns whether this vault has the key with that ID. */
  hasKey(keyId: string): boolean {
    return this.#keyIds.has(keyId);
  }

  /** Encrypts a group's token under the account's key. @throws Error when the key is not configured */
  encryptToken(token: string, { accountId, tokenKeyId }: TokenOwner): StoredToken {
    const key = this.#key(tokenKeyId);
    const lookup = lookupHash(key, token);
    const binding = bindToLookup(key, accountId, lookup.toString("hex"));
    return { keyId: key.tokenKeyId, ciphertext: encrypt(key, token, binding), lookup };
  }

  /**
   * Decrypts a group's token.
   * @throws Error when the key is not configured, or the ciphertext was altered or copied from another row
   */
  decryptToken(stored: StoredTokenText, { accountId }: Pick<TokenRow, "accountId">): string {
    const key = this.#key(stored.keyId);
    const ciphertext = Buffer.from(stored.hex.slice(0, -LOOKUP_DIGITS), "hex");
    return decrypt(key, ciphertext, bindToLookup(key, accountId, lookupOf(stored)));
  }

  /** Returns a group's token from the cache, or decrypts it. @throws Error as `decryptToken` does */
  decryptTokenCached(stored: StoredTokenText, row: TokenRow): string {
    const cacheKey = `${row.accountId}/${row.id}`;
    const known = this.#decrypted?.get(cacheKey);
    if (known?.keyId === stored.keyId && known.hex === stored.hex) {
      this.countLookup?.("hit");
      return known.token;
    }
    if (this.#decrypted) this.countLookup?.("miss");
    try {
      const token = this.decryptToken(stored, row);
      this.#decrypted?.set(cacheKey, { keyId: stored.keyId, hex: stored.hex, token });
      return token;
    } catch (cause) {
      const what = `The token of user group ${row.id} of account ${row.accountId} cannot be decrypted`;
      throw new Error(`${what} (docs/key-rotation.md#rows-that-cannot-be-decrypted).`, { cause });
    }
  }

  /** @param keyId the account's key @throws Error if the key is not configured */
  encrypt(token: string, binding: TokenBinding, keyId: string): EncryptedToken {
    const key = this.#key(keyId);
    return { keyId: key.id, ciphertext: encrypt(key, token, associatedData(key.id, binding)) };
  }

  /** Decrypts a token. @throws Error if the key is not configured, or the ciphertext was altered or copied from another row */
  decrypt(encrypted: EncryptedToken, binding: TokenBinding): string {
    const key = this.#key(encrypted.keyId);
    return decrypt(key, encrypted.ciphertext, associatedData(key.id, binding));
  }

  /** Returns the key that encrypts console sessions. @param keyId the primary key by default; null if it is not configured */
  sessionKey(keyId: string = this.primaryKeyId): Buffer | null {
    return this.#keys.find(({ id }) => id === keyId)?.session ?? null;
  }

  /** Returns the keyed hashes of a text that identifies console sessions, one for each configured key. */
  sessionLookups(text: string): readonly Buffer[] {
    return this.#keys.map(({ sessionLookup }) => createHmac("sha256", sessionLookup).update(text).digest());
  }

  /** Returns the lookup hash of a token under one key. @throws Error if the key is not configured */
  lookup(token: string, keyId: string): Buffer {
    return lookupHash(this.#key(keyId), token);
  }

  /** Returns a keyed hash that replaces an account's text once it must be erased: `erased:` and 32 hexadecimal digits. */
  pseudonym(accountId: number, text: string): string {
    const mac = createHmac("sha256", this.#primary.pseudonym).update(`${accountId}/${text}`);
    return `erased:${mac.digest("hex").slice(0, PSEUDONYM_DIGITS)}`;
  }

  /** Returns the lookup hashes of a token, one for each configured key. */
  lookups(token: string): readonly Buffer[] {
    return this.#keys.map((key) => lookupHash(key, token));
  }

  #key(keyId: string): VaultKey {
    const key = this.#keys.find(({ id, tokenKeyId }) => id === keyId || tokenKeyId === keyId);
    if (!key) throw new Error(`Encryption key ${keyId} is not configured. Add it to \`ENCRYPTION_KEYS\`.`);
    return key;
  }
}

/** Returns the lookup hash of a stored token, in hexadecimal. */
export function lookupOf({ hex }: StoredTokenText): string {
  return hex.slice(-LOOKUP_DIGITS);
}

function deriveKey(root: Buffer): VaultKey {
  const derive = (purpose: string) =>
    Buffer.from(hkdfSync("sha256", root, "", `user group token ${purpose}`, 32));
  const id = derive("key id").toString("hex", 0, 4);
  return {
    id,
    tokenKeyId: `${id}${LOOKUP_BOUND}`,
    encryption: derive("encryption"),
    lookup: derive("lookup"),
    pseudonym: derive("pseudonym"),
    session: derive("console session"),
    sessionLookup: derive("console session lookup"),
  };
}

function encrypt(key: VaultKey, text: string, binding: Buffer): Buffer {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv("aes-256-gcm", key.encryption, nonce);
  cipher.setAAD(binding);
  return Buffer.concat([nonce, cipher.update(text, "utf8"), cipher.final(), cipher.getAuthTag()]);
}

function decrypt(key: VaultKey, ciphertext: Buffer, binding: Buffer): string {
  const nonce = ciphertext.subarray(0, NONCE_BYTES);
  const decipher = createDecipheriv("aes-256-gcm", key.encryption, nonce, { authTagLength: TAG_BYTES });
  decipher.setAAD(binding);
  decipher.setAuthTag(ciphertext.subarray(-TAG_BYTES));
  const body = ciphertext.subarray(NONCE_BYTES, -TAG_BYTES);
  return Buffer.concat([decipher.update(body), decipher.final()]).toString("utf8");
}

/** Associated data without the row ID, which is not known before the token is. @param lookup in hexadecimal */
function bindToLookup({ tokenKeyId }: VaultKey, accountId: number, lookup: string): Buffer {
  return Buffer.from(`${tokenKeyId}/${accountId}/${lookup}`);
}

function associatedData(keyId: string, { accountId, kind, id }: TokenBinding): Buffer {
  return Buffer.from([keyId, accountId, kind, id].join("/"));
}

function lookupHash(key: VaultKey, token: string): Buffer {
  return createHmac("sha256", key.lookup).update(token).digest();
}
