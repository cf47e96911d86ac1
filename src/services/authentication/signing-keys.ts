import {
  type CryptoKey,
  calculateJwkThumbprint,
  exportJWK,
  generateKeyPair,
  importJWK,
  type JSONWebKeySet,
  type JWK,
} from "jose";
import type { EntityManager } from "typeorm";
import type { TokenBinding, TokenVault } from "../../domain/accounts/token-vault.js";
import {
  isAccepted,
  KEY_CACHE_MS,
  SIGNING_ALGORITHM,
  SIGNING_LEAD_MS,
  type SigningKey,
  signingKeyAt,
  TEMPLATE_SIGNING_LEAD_MS,
} from "../../domain/authentication/signing-key.js";
import { DomainError } from "../../domain/shared/errors.js";
import {
  deleteSigningKeys,
  insertSigningKey,
  type KeyOwner,
  listSigningKeys,
  retireSigningKey,
  type StoredSigningKey,
} from "../../persistence/authentication/signing-keys.js";
import type { Database } from "../../persistence/database/database.js";

/** Minimum time between two loads for unknown key IDs, which anyone can send. */
const RELOAD_INTERVAL_MS = 5_000;

/** A loaded key; the parsed keys are created when they are first used. */
interface LoadedKey extends StoredSigningKey {
  readonly jwk: JWK;
  publicCryptoKey?: Promise<CryptoKey>;
  privateCryptoKey?: Promise<CryptoKey>;
}

interface LoadedKeys {
  readonly keys: readonly LoadedKey[];
  /** In milliseconds of `performance.now()`. */
  readonly loadedAt: number;
}

/**
 * The keys that sign embed sessions, or the tokens of one account and environment for other tools. Private keys are encrypted; public keys are
 * cached.
 */
export class SigningKeys {
  #loaded: LoadedKeys | undefined;
  #loading: Promise<LoadedKeys> | undefined;

  constructor(
    private readonly db: Database,
    private readonly vault: TokenVault,
    private readonly owner: KeyOwner = null,
  ) {}

  /** Returns the key that signs now; creates the first one. */
  async signer(): Promise<{ readonly id: string; readonly key: CryptoKey }> {
    const signing = signingKeyAt(await this.#require(), new Date());
    if (!signing) throw new Error("There is no signing key.");
    signing.privateCryptoKey ??= importKey(
      JSON.parse(this.vault.decrypt(signing, bindingOf(this.owner, signing.id))),
    );
    return { id: signing.id, key: await signing.privateCryptoKey };
  }

  /** Returns the public key with this ID; null if it is unknown or no longer accepted. */
  async verifier(id: string): Promise<CryptoKey | null> {
    const find = ({ keys }: LoadedKeys) => keys.find((each) => each.id === id);
    const loaded = await this.#load(KEY_CACHE_MS);
    // Another process may just have created it.
    const key = find(loaded) ?? find(await this.#load(RELOAD_INTERVAL_MS));
    if (!key || !isAccepted(key, new Date())) return null;
    key.publicCryptoKey ??= importKey(key.jwk);
    return key.publicCryptoKey;
  }

  /** Returns all accepted public keys. Creates the first key of the installation, so that no verifier caches an empty set; other sets may be empty. */
  async publicKeys(): Promise<JSONWebKeySet> {
    const now = new Date();
    const keys = this.owner ? (await this.#load(KEY_CACHE_MS)).keys : await this.#require();
    return { keys: keys.filter((key) => isAccepted(key, now)).map(({ jwk }) => jwk) };
  }

  /** Lists the keys in the order in which they sign. */
  async list(): Promise<readonly SigningKey[]> {
    return listSigningKeys(this.#manager("read", "signing_keys"), this.owner);
  }

  /**
   * Adds a key, which signs once verifiers have had time to load it.
   * @param revoke deletes the former keys, so that the new one signs at once; other processes cache former keys for a minute
   * @throws DomainError `unavailable` during a concurrent rotation
   */
  async rotate(revoke = false): Promise<SigningKey> {
    const created = await this.#createKey();
    const { owner } = this;
    const lead = owner ? TEMPLATE_SIGNING_LEAD_MS : SIGNING_LEAD_MS;
    const isInserted = await this.db.entities(owner ?? "operator", async (manager) => {
      if (revoke) await deleteSigningKeys(manager, owner);
      const leadMs = (await retireSigningKey(manager, owner, lead)) ? lead : 0;
      return insertSigningKey(manager, owner, created, leadMs);
    });
    this.#loaded = undefined;
    const added = (await this.list()).find(({ id }) => id === created.id);
    if (isInserted && added) return added;
    throw new DomainError("unavailable", "The signing key is being rotated by another process.", {
      retryAfter: 1,
    });
  }

  /** Returns at least one key. */
  async #require(): Promise<readonly LoadedKey[]> {
    const { keys } = await this.#load(KEY_CACHE_MS);
    if (keys.length > 0) return keys;
    const manager = this.#manager("write", "signing_key_insert");
    await insertSigningKey(manager, this.owner, await this.#createKey(), 0);
    // Not `#load`: a read that started before the insert would not contain the key.
    return (await this.#read(performance.now())).keys;
  }

  /** Returns the keys, from the cache if it is younger than `maxAgeMs`. */
  async #load(maxAgeMs: number): Promise<LoadedKeys> {
    const now = performance.now();
    if (this.#loaded && now - this.#loaded.loadedAt < maxAgeMs) return this.#loaded;
    this.#loading ??= this.#read(now).finally(() => {
      this.#loading = undefined;
    });
    return this.#loading;
  }

  async #read(loadedAt: number): Promise<LoadedKeys> {
    const known = new Map(this.#loaded?.keys.map((key) => [key.id, key]));
    const stored = await listSigningKeys(this.#manager("read", "signing_keys"), this.owner);
    const keys = stored.map(
      (key): LoadedKey => ({ ...known.get(key.id), ...key, jwk: JSON.parse(key.publicKey) }),
    );
    this.#loaded = { keys, loadedAt };
    return this.#loaded;
  }

  #manager(access: "read" | "write", label: string): EntityManager {
    const { db, owner } = this;
    return owner ? db.for(owner).manager(access, label) : db.manager(access, label);
  }

  async #createKey() {
    const { publicKey, privateKey } = await generateKeyPair(SIGNING_ALGORITHM, { extractable: true });
    const jwk = await exportJWK(publicKey);
    const id = await calculateJwkThumbprint(jwk);
    const encrypted = this.vault.encrypt(
      JSON.stringify(await exportJWK(privateKey)),
      bindingOf(this.owner, id),
      this.vault.primaryKeyId,
    );
    const published = { ...jwk, kid: id, alg: SIGNING_ALGORITHM, use: "sig" };
    return { id, publicKey: JSON.stringify(published), ...encrypted };
  }
}

/** Returns the binding (additional authenticated data) of an encrypted private key. Those of the installation belong to no account. */
export function bindingOf(owner: KeyOwner, id: string): TokenBinding {
  return { accountId: owner?.accountId ?? 0, id, kind: "signingKey" };
}

async function importKey(jwk: JWK): Promise<CryptoKey> {
  const key = await importJWK(jwk, SIGNING_ALGORITHM);
  if (key instanceof Uint8Array) throw new Error("The signing key is not an asymmetric key.");
  return key;
}
