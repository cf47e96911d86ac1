import { EncryptJWT, jwtDecrypt } from "jose";
import { JOSEError } from "jose/errors";
import { z } from "zod";
import { hashApiKey, parseApiKey } from "../../domain/accounts/api-key.js";
import { ENVIRONMENTS, type Environment } from "../../domain/accounts/environment.js";
import type { TokenVault } from "../../domain/accounts/token-vault.js";
import { endConsoleSessions } from "../../persistence/accounts/api-key-queries.js";
import type { Database } from "../../persistence/database/database.js";
import type { KeyCache } from "../accounts/key-cache.js";

/** Lifetime of a console session; then the API key must be entered again. */
export const CONSOLE_SESSION_SECONDS = 12 * 3600;

/** An API key of a console session. */
interface SessionKey {
  readonly secret: string;
  /** When the key was entered. */
  readonly signedInAt: Date;
}

/** The API keys of a signed-in browser: at most one per environment, of one account. */
export type ConsoleSession = Partial<Readonly<Record<Environment, SessionKey>>>;

const KEY_MANAGEMENT = "dir";
const CONTENT_ENCRYPTION = "A256GCM";

const payload = z.object({
  keys: z.partialRecord(z.enum(ENVIRONMENTS), z.object({ secret: z.string(), signedInAt: z.number() })),
});

/**
 * Console sessions (decision 43): encrypted tokens (JWE) that contain the API keys and are stored in the browser only. Every process
 * that has the same `ENCRYPTION_KEYS` can read them.
 */
export class ConsoleSessions {
  constructor(
    private readonly db: Database,
    private readonly vault: TokenVault,
    private readonly keys: KeyCache,
  ) {}

  /** Adds a valid API key to a session. A key of another account replaces the session, one of the same environment its key. */
  addKey(session: ConsoleSession, secret: string): ConsoleSession {
    const added = parseApiKey(secret);
    if (!added) return session;
    const others = keysOf(session).filter(
      ([environment, key]) =>
        environment !== added.environment && parseApiKey(key.secret)?.accountId === added.accountId,
    );
    return { ...Object.fromEntries(others), [added.environment]: { secret, signedInAt: new Date() } };
  }

  /** Encrypts a session. */
  async encrypt(session: ConsoleSession): Promise<string> {
    const key = this.vault.sessionKey();
    if (!key) throw new Error("The primary encryption key is missing.");
    const keys = keysOf(session).map(([environment, { secret, signedInAt }]) => [
      environment,
      { secret, signedInAt: signedInAt.getTime() },
    ]);
    return new EncryptJWT({ keys: Object.fromEntries(keys) })
      .setProtectedHeader({ alg: KEY_MANAGEMENT, enc: CONTENT_ENCRYPTION, kid: this.vault.primaryKeyId })
      .setExpirationTime(`${CONSOLE_SESSION_SECONDS}s`)
      .encrypt(key);
  }

  /** Decrypts a session. @returns null if it was altered, has expired or was encrypted under a key that is not configured */
  async decrypt(token: string): Promise<ConsoleSession | null> {
    try {
      const { payload: claims } = await jwtDecrypt(token, ({ kid }) => this.#requireKey(kid), {
        keyManagementAlgorithms: [KEY_MANAGEMENT],
        contentEncryptionAlgorithms: [CONTENT_ENCRYPTION],
      });
      return sessionOf(payload.parse(claims).keys);
    } catch (error) {
      if (error instanceof JOSEError || error instanceof UnknownKey) return null;
      throw error;
    }
  }

  /** Signs out every browser that has signed in with a key of the session until now. */
  async endAll(session: ConsoleSession): Promise<void> {
    const now = new Date();
    for (const [, { secret }] of keysOf(session)) {
      const tenant = parseApiKey(secret);
      const keyId = tenant && (await endConsoleSessions(this.db.for(tenant), hashApiKey(secret), now));
      if (keyId !== null) this.keys.evict(keyId);
    }
  }

  #requireKey(keyId: string | undefined): Buffer {
    const key = keyId === undefined ? null : this.vault.sessionKey(keyId);
    if (!key) throw new UnknownKey();
    return key;
  }
}

class UnknownKey extends Error {}

function keysOf(session: ConsoleSession): [Environment, SessionKey][] {
  return ENVIRONMENTS.flatMap((environment) => {
    const key = session[environment];
    return key ? [[environment, key]] : [];
  });
}

/** Omits keys that were entered too long ago: another one may have been added to the session since. */
function sessionOf(keys: z.infer<typeof payload>["keys"]): ConsoleSession {
  const oldest = Date.now() - CONSOLE_SESSION_SECONDS * 1000;
  const valid = Object.entries(keys).filter(([, { signedInAt }]) => signedInAt > oldest);
  return Object.fromEntries(
    valid.map(([environment, { secret, signedInAt }]) => [
      environment,
      { secret, signedInAt: new Date(signedInAt) },
    ]),
  );
}
