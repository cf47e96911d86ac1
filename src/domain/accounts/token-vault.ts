import { createCipheriv, createDecipheriv, createHmac, hkdfSync } from "node:crypto";
import { LRUCache } from "lru-cache";
import { HitCount } from "../../telemetry/counts.js";
import { secretBytes } from "./secret-bytes.js";

/** A token as the database holds it: nonce, ciphertext and tag under the key `keyId`. */
export interface SealedToken {
  readonly keyId: string;
  readonly ciphertext: Buffer;
}

/** The same as text, with hexadecimal digits. */
export interface SealedText {
  readonly keyId: string;
  readonly hex: string;
}

/** What a sealed token is bound to: in another row it does not open. */
export interface TokenBinding {
  readonly accountId: number;
  readonly id: number | string;
  /** What the id is of: a user group unless told otherwise. */
  readonly of?: "webhookEndpoint" | "idempotentRequest";
}

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

interface OpenedToken extends SealedText {
  readonly token: string;
}

interface VaultKey {
  readonly id: string;
  readonly encryption: Buffer;
  readonly lookup: Buffer;
}

/**
 * Seals user group tokens with AES-256-GCM and finds them by a keyed hash (decision 14); seals the secrets of webhooks and stored
 * replies, too. The first key is that of new accounts; what an account has sealed stays under its key until it is sealed anew.
 */
export class TokenVault {
  readonly #keys: readonly VaultKey[];
  readonly #primary: VaultKey;
  /** Group tokens that were opened lately, by the account and the id of their groups. */
  readonly #opened: LRUCache<string, OpenedToken> | null;
  readonly #hits: HitCount;

  /**
   * @param keys 32 bytes each, the sealing one first; at least one
   * @param remembers how many opened group tokens are kept in memory: to open one takes longer than all else that a request does with it
   * @param hits counts how many were in memory
   */
  constructor(keys: readonly [Buffer, ...Buffer[]], remembers = 0, hits = new HitCount()) {
    this.#hits = hits;
    this.#opened = remembers > 0 ? new LRUCache({ max: remembers }) : null;
    this.#primary = deriveKey(keys[0]);
    this.#keys = [this.#primary, ...keys.slice(1).map(deriveKey)];
  }

  /** The id of the key of new accounts: derived from the key itself, so that two keys never share one. */
  get primaryKeyId(): string {
    return this.#primary.id;
  }

  /** Says whether tokens sealed under that key can be opened here. */
  holds(keyId: string): boolean {
    return this.#keys.some((key) => key.id === keyId);
  }

  /** @param keyId the key to seal under: the account's @throws Error when it is not held */
  seal(token: string, binding: TokenBinding, keyId: string): SealedToken {
    const key = this.#key(keyId);
    const nonce = secretBytes(NONCE_BYTES);
    const cipher = createCipheriv("aes-256-gcm", key.encryption, nonce);
    cipher.setAAD(associatedData(key.id, binding));
    const ciphertext = Buffer.concat([
      nonce,
      cipher.update(token, "utf8"),
      cipher.final(),
      cipher.getAuthTag(),
    ]);
    return { keyId: key.id, ciphertext };
  }

  /** Opens a group's token, or gives it from memory. @throws as `open` does */
  openToken({ keyId, hex }: SealedText, { accountId, id }: TokenBinding): string {
    const place = `${accountId}/${id}`;
    const known = this.#opened?.get(place);
    if (known && known.keyId === keyId && known.hex === hex) {
      this.#hits.hits += 1;
      return known.token;
    }
    if (this.#opened) this.#hits.misses += 1;
    const ciphertext = Buffer.from(hex, "hex");
    const token = this.open({ keyId, ciphertext }, { accountId, id });
    // Texts of their own: what was given may be pieces that keep all of a list in memory.
    this.#opened?.set(place, { keyId: this.#key(keyId).id, hex: ciphertext.toString("hex"), token });
    return token;
  }

  /** @throws Error when the key is not held, or the sealed token was altered or moved between rows */
  open(sealed: SealedToken, binding: TokenBinding): string {
    const key = this.#key(sealed.keyId);
    const nonce = sealed.ciphertext.subarray(0, NONCE_BYTES);
    const body = sealed.ciphertext.subarray(NONCE_BYTES, -TAG_BYTES);
    const decipher = createDecipheriv("aes-256-gcm", key.encryption, nonce, { authTagLength: TAG_BYTES });
    decipher.setAAD(associatedData(key.id, binding));
    decipher.setAuthTag(sealed.ciphertext.subarray(-TAG_BYTES));
    return Buffer.concat([decipher.update(body), decipher.final()]).toString("utf8");
  }

  /** The hash under which a token that was sealed under that key is found. @throws Error when the key is not held */
  lookup(token: string, keyId: string): Buffer {
    return lookupHash(this.#key(keyId), token);
  }

  /** The hashes under which a token may be found, one for each key. */
  lookups(token: string): readonly Buffer[] {
    return this.#keys.map((key) => lookupHash(key, token));
  }

  #key(keyId: string): VaultKey {
    const key = this.#keys.find(({ id }) => id === keyId);
    if (!key) throw new Error(`No encryption key with the id ${keyId} is configured.`);
    return key;
  }
}

function deriveKey(root: Buffer): VaultKey {
  const derive = (purpose: string) =>
    Buffer.from(hkdfSync("sha256", root, "", `user group token ${purpose}`, 32));
  return {
    id: derive("key id").toString("hex", 0, 4),
    encryption: derive("encryption"),
    lookup: derive("lookup"),
  };
}

function associatedData(keyId: string, binding: TokenBinding): Buffer {
  const { accountId, id, of } = binding;
  return Buffer.from([keyId, accountId, ...(of ? [of] : []), id].join("/"));
}

function lookupHash(key: VaultKey, token: string): Buffer {
  return createHmac("sha256", key.lookup).update(token).digest();
}
