import { randomUUID } from "node:crypto";
import { EncryptJWT, jwtDecrypt } from "jose";
import { JOSEError } from "jose/errors";
import { z } from "zod";
import { hashApiKey, parseApiKey } from "../../domain/accounts/api-key.js";
import { type FollowedSession, SCOPES } from "../../domain/accounts/caller.js";
import { ENVIRONMENTS, type Environment } from "../../domain/accounts/environment.js";
import type { TokenVault } from "../../domain/accounts/token-vault.js";
import type { Deadline } from "../../domain/shared/deadline.js";
import {
  databaseTime,
  endSessions,
  sessionsValidFrom,
} from "../../persistence/authentication/ended-console-sessions.js";
import type { Database } from "../../persistence/database/database.js";
import type { NotificationChannel } from "../../persistence/database/notification-channel.js";
import { pendingSignIn } from "./identity-provider.js";

/** Lifetime of a console session; then the person must sign in, or the API key be entered, again. */
export const CONSOLE_SESSION_SECONDS = 12 * 3600;
/** How long the roles of a person apply until they must be read again. */
export const ROLES_VALID_MS = 900_000;
/** Browsers reject larger cookies, with their names and attributes. */
const MAX_COOKIE_LENGTH = 3900;

const KEY_MANAGEMENT = "dir";
const CONTENT_ENCRYPTION = "A256GCM";

/** Times are Unix times in milliseconds. */
const signIn = {
  /** Identifies the sign-in in all copies of the cookie. */
  sessionId: z.string(),
  /** By the database's clock, which also says when sessions end. */
  signedInAt: z.number(),
};

const consoleSession = z.object({
  /** API keys: at most one per environment, of one account. */
  keys: z.partialRecord(z.enum(ENVIRONMENTS), z.object({ secret: z.string(), ...signIn })),
  /** A person, for both environments of an account. */
  person: z
    .object({
      /** The provider and the subject there. */
      issuer: z.string(),
      id: z.string(),
      ...signIn,
      name: z.string(),
      roles: z.array(z.object({ account: z.string(), scope: z.enum(SCOPES) })).readonly(),
      account: z.string(),
      refreshToken: z.string().optional(),
      rolesReadAt: z.number(),
    })
    .optional(),
  /** A sign-in at the identity provider, in a cookie of its own. */
  signIn: pendingSignIn
    .extend({ route: z.string(), account: z.string().optional(), isSilent: z.boolean() })
    .optional(),
});

/** The session of a browser: of API keys, or of a person. */
export type ConsoleSession = Readonly<z.infer<typeof consoleSession>>;
export type SessionPerson = NonNullable<ConsoleSession["person"]>;
/** An API key or a person of a session. */
type SignedIn = SessionPerson | NonNullable<ConsoleSession["keys"][Environment]>;

/**
 * Console sessions (decision 43): encrypted tokens (JWE) that contain the API keys or the person and are stored in the browser only. Every
 * process that has the same `ENCRYPTION_KEYS` can read them.
 */
export class ConsoleSessions {
  /** The streams of sessions, by each lookup hash of the session in hexadecimal. */
  readonly #followers = new Map<string, Set<() => void>>();

  constructor(
    private readonly db: Database,
    private readonly vault: TokenVault,
    private readonly notifications: NotificationChannel,
  ) {
    notifications.addListener({
      channel: "console_session_ended",
      onPayload: (lookup) => {
        for (const end of [...(this.#followers.get(lookup) ?? [])]) end();
      },
    });
  }

  /** Adds a valid API key to a session. A key of another account replaces the session, one of the same environment its key. */
  async addKey(session: ConsoleSession, secret: string): Promise<ConsoleSession> {
    const added = parseApiKey(secret);
    if (!added) return session;
    const others = Object.entries(session.keys).filter(
      ([, key]) => parseApiKey(key.secret)?.accountId === added.accountId,
    );
    const key = { secret, ...(await this.begin()) };
    return { keys: { ...Object.fromEntries(others), [added.environment]: key } };
  }

  /** Encrypts a session. Without its refresh token if it does not fit into a cookie: the person then signs in again instead. */
  async encrypt(session: ConsoleSession, seconds = CONSOLE_SESSION_SECONDS): Promise<string> {
    const key = this.vault.sessionKey();
    if (!key) throw new Error("The primary encryption key is missing.");
    const token = await new EncryptJWT({ ...session })
      .setProtectedHeader({ alg: KEY_MANAGEMENT, enc: CONTENT_ENCRYPTION, kid: this.vault.primaryKeyId })
      .setExpirationTime(`${seconds}s`)
      .encrypt(key);
    const { person } = session;
    if (token.length <= MAX_COOKIE_LENGTH || person?.refreshToken === undefined) return token;
    return this.encrypt({ ...session, person: { ...person, refreshToken: undefined } }, seconds);
  }

  /** Returns what a new sign-in has in common with no other one. */
  async begin(): Promise<Pick<SignedIn, keyof typeof signIn>> {
    return { sessionId: randomUUID(), signedInAt: await databaseTime(this.db.of("operator")) };
  }

  /**
   * Decrypts a session, without what was signed out.
   * @returns null as `decrypt` does @throws DomainError `unavailable` if sign-outs cannot be read
   */
  async open(token: string, deadline?: Deadline): Promise<ConsoleSession | null> {
    const session = await this.decrypt(token);
    if (!session) return null;
    const ended = new Set<SignedIn>();
    for (const each of signedInOf(session)) if (!(await this.#isOpen(each, deadline))) ended.add(each);
    return filterSession(session, (each) => !ended.has(each));
  }

  async #isOpen(signedIn: SignedIn, deadline?: Deadline): Promise<boolean> {
    const lookups = this.#lookups(signedIn, true);
    const validFrom = await sessionsValidFrom(this.db.of("operator", deadline), lookups);
    return validFrom === null || signedIn.signedInAt > validFrom;
  }

  /** Returns the session of a key or person for streams that end with it. */
  sessionOf(signedIn: SignedIn): FollowedSession {
    return {
      expiresAt: new Date(signedIn.signedInAt + CONSOLE_SESSION_SECONDS * 1000),
      isOpen: () => this.#isOpen(signedIn),
      follow: (onEnd) => {
        const names = this.#lookups(signedIn, true).map((lookup) => lookup.toString("hex"));
        for (const name of names) {
          const followers = this.#followers.get(name) ?? new Set();
          this.#followers.set(name, followers.add(onEnd));
        }
        return () => {
          for (const name of names) {
            const followers = this.#followers.get(name);
            followers?.delete(onEnd);
            if (followers?.size === 0) this.#followers.delete(name);
          }
        };
      },
    };
  }

  /**
   * Signs out of a session in all processes, with every copy of the cookie.
   * @param isEverywhere whether to end the other sessions of its keys or person, too
   */
  async end(session: ConsoleSession, isEverywhere: boolean): Promise<void> {
    const lookups = signedInOf(session).flatMap((each) => this.#lookups(each, isEverywhere));
    if (lookups.length === 0) return;
    await endSessions(this.db.of("operator"), lookups);
    await this.notifications.publish(
      lookups.map((lookup) => lookup.toString("hex")),
      "console_session_ended",
    );
  }

  /** Under all keys: a process may have another primary key. */
  #lookups(signedIn: SignedIn, withOthers: boolean): readonly Buffer[] {
    const names = [["session", signedIn.sessionId], ...(withOthers ? [nameOf(signedIn)] : [])];
    return names.flatMap((name) => this.vault.sessionLookups(JSON.stringify(name)));
  }

  /** Decrypts a session. @returns null if it was altered, has expired or was encrypted under a key that is not configured */
  async decrypt(token: string): Promise<ConsoleSession | null> {
    try {
      const { payload: claims } = await jwtDecrypt(token, ({ kid }) => this.#requireKey(kid), {
        keyManagementAlgorithms: [KEY_MANAGEMENT],
        contentEncryptionAlgorithms: [CONTENT_ENCRYPTION],
      });
      const session = consoleSession.safeParse(claims);
      // A session of another version has other contents.
      return session.success ? withoutExpired(session.data) : null;
    } catch (error) {
      if (error instanceof JOSEError || error instanceof UnknownKey) return null;
      throw error;
    }
  }

  #requireKey(keyId: string | undefined): Buffer {
    const key = keyId === undefined ? null : this.vault.sessionKey(keyId);
    if (!key) throw new UnknownKey();
    return key;
  }
}

class UnknownKey extends Error {}

/** Names the key or person in all their sessions. */
function nameOf(signedIn: SignedIn): readonly string[] {
  return "secret" in signedIn
    ? ["key", hashApiKey(signedIn.secret).toString("hex")]
    : ["person", signedIn.issuer, signedIn.id];
}

function signedInOf({ keys, person }: ConsoleSession): SignedIn[] {
  return [...Object.values(keys), ...(person ? [person] : [])];
}

function filterSession(
  { keys, person, signIn }: ConsoleSession,
  isKept: (signedIn: SignedIn) => boolean,
): ConsoleSession {
  const kept = Object.entries(keys).filter(([, key]) => isKept(key));
  return { keys: Object.fromEntries(kept), signIn, person: person && isKept(person) ? person : undefined };
}

/** Omits keys that were entered too long ago, and a person who has: the session may have been renewed since. */
function withoutExpired(session: ConsoleSession): ConsoleSession {
  const oldest = Date.now() - CONSOLE_SESSION_SECONDS * 1000;
  return filterSession(session, ({ signedInAt }) => signedInAt > oldest);
}
