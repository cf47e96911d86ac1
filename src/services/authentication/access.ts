import { hashApiKey, parseApiKey } from "../../domain/accounts/api-key.js";
import type { Caller, FollowedSession, Person } from "../../domain/accounts/caller.js";
import { ENVIRONMENTS } from "../../domain/accounts/environment.js";
import type { TokenVault } from "../../domain/accounts/token-vault.js";
import { credentialsError, findApiKey, parseCredentials } from "../../domain/authentication/authorization.js";
import { isEmbedSession } from "../../domain/authentication/embed-session.js";
import type { Identity } from "../../domain/authentication/identity.js";
import type { Deadline } from "../../domain/shared/deadline.js";
import { DomainError } from "../../domain/shared/errors.js";
import { isPlausibleToken, parseUserGroupToken } from "../../domain/user-groups/token.js";
import type { UserGroup } from "../../domain/user-groups/user-group.js";
import { findAccount } from "../../persistence/accounts/account-queries.js";
import { type ActiveKey, findActiveKey } from "../../persistence/accounts/api-key-queries.js";
import type { Database } from "../../persistence/database/database.js";
import { findTokenLocations } from "../../persistence/user-groups/imported-token-queries.js";
import type { KeyCache } from "../accounts/key-cache.js";
import type { Usage } from "../accounts/usage.js";
import type { AuthFailures } from "../requests/rate-limits.js";
import type { UserGroupReader } from "../user-groups/reader.js";
import type { EmbedSessions } from "./embed-sessions.js";

/** The origin of a request. */
interface Origin {
  readonly requestId: string;
  /** Client IP address. */
  readonly address: string;
  readonly deadline?: Deadline | undefined;
  /** The console session that the credentials come from. */
  readonly consoleSession?: FollowedSession | undefined;
  /** The person of a console session, instead of an Authorization header. */
  readonly role?: PersonsRole | undefined;
}

/** A person in one environment of an account. */
export type PersonsRole = Pick<Caller, "accountName" | "environment" | "scope"> & { readonly person: Person };

interface AccessDependencies {
  readonly db: Database;
  readonly vault: TokenVault;
  readonly keys: KeyCache;
  readonly reader: UserGroupReader;
  readonly embedSessions: EmbedSessions;
  readonly usage: Usage;
  readonly failures: AuthFailures;
}

/** Authenticates requests. */
export class Access {
  constructor(private readonly deps: AccessDependencies) {}

  /**
   * Returns the caller authenticated by the API key in an Authorization header.
   * @param origin used for the audit log and for counting failures
   * @throws DomainError `unauthenticated` when the header is missing or malformed, or the key unknown, revoked or expired;
   *   `rate_limited` instead after too many failures from the address
   */
  async authenticate(header: string | undefined, origin: Origin): Promise<Caller> {
    if (origin.role) return this.#findPersonsAccount(origin.role, origin);
    // Missing credentials do not count as a failure.
    if (!header) throw credentialsError(header, "apiKey");
    return this.limitFailures(origin.address, async () => {
      const { secret } = parseCredentials(header, "apiKey");
      const caller = await this.#findCaller(secret, origin);
      if (!caller) throw credentialsError(header, "apiKey");
      return caller;
    });
  }

  /** Returns the caller if the API key in the Authorization header is cached, without I/O; null if it is not cached, valid or not. */
  authenticateCached(header: string | undefined, origin: Omit<Origin, "address">): Caller | null {
    const secret = header === undefined ? undefined : findApiKey(header);
    const key = secret === undefined ? null : this.deps.keys.getCached(secret);
    return key && this.#admit(key, origin);
  }

  /**
   * Returns the principal authenticated by an API key, a user group token or an embed session (decision 15).
   * @throws DomainError as `authenticate` does; `unauthenticated` also for an unknown or rotated token or session
   */
  async identify(header: string | undefined, origin: Origin): Promise<Identity> {
    if (origin.role) return { kind: "caller", caller: await this.authenticate(header, origin) };
    if (!header) throw credentialsError(header, "graphql");
    return this.limitFailures(origin.address, async () => {
      const identity = await this.#identify(header, origin);
      if (!identity) throw credentialsError(header, "graphql");
      return identity;
    });
  }

  async #identify(header: string, origin: Omit<Origin, "address">): Promise<Identity | null> {
    const { kind, secret } = parseCredentials(header, "graphql");
    if (kind === "apiKey") {
      const caller = await this.#findCaller(secret, origin);
      return caller && { kind: "caller", caller };
    }
    const { deadline } = origin;
    const found = await this.#findFrontEnd(secret, deadline);
    return found && { kind: "frontEnd", ...found, deadline };
  }

  /** Limits failures (`unauthenticated`) per address (decision 33). @throws DomainError `rate_limited` instead after too many */
  async limitFailures<Result>(address: string, verify: () => Promise<Result>): Promise<Result> {
    try {
      return await this.deps.failures.verify(address, verify);
    } catch (error) {
      if (error instanceof DomainError && error.code === "unauthenticated")
        await this.deps.failures.record(address);
      throw error;
    }
  }

  async #findFrontEnd(secret: string, deadline: Deadline | undefined) {
    if (isEmbedSession(secret)) return this.deps.embedSessions.verify(secret, deadline);
    const userGroup = await this.#findUserGroup(secret, deadline);
    return userGroup && { userGroup };
  }

  /** Finds the group of a token, current or in its grace period. The token names its account but not its environment. */
  async #findUserGroup(token: string, deadline: Deadline | undefined): Promise<UserGroup | null> {
    const route = parseUserGroupToken(token);
    const places = route ? ENVIRONMENTS.map((environment) => ({ ...route, environment, deadline })) : [];
    for (const place of places) {
      const group = await this.deps.reader.byToken(place, token);
      if (group) return group;
    }
    return isPlausibleToken(token) ? this.#findByImportedToken(token, deadline) : null;
  }

  /** Finds the group of an imported token, which does not name its account. A token that matches two groups is rejected (decision 45). */
  async #findByImportedToken(token: string, deadline: Deadline | undefined): Promise<UserGroup | null> {
    const places = await findTokenLocations(
      this.deps.db.of("operator", deadline),
      this.deps.vault.lookups(token),
    );
    const found = await Promise.all(
      places.map((place) => this.deps.reader.byToken({ ...place, deadline }, token)),
    );
    // Two places in one environment (the token's former group and its current one) resolve to the same group.
    const groups = new Map(found.flatMap((group) => (group ? [[group.id, group]] : [])));
    const [group = null] = groups.values();
    return groups.size === 1 ? group : null;
  }

  async #findCaller(secret: string, origin: Omit<Origin, "address">): Promise<Caller | null> {
    const key = await this.deps.keys.find(secret, origin.deadline, async (deadline) => {
      const route = parseApiKey(secret);
      const found =
        route &&
        (await findActiveKey(this.deps.db.of({ ...route, deadline }), route.accountId, hashApiKey(secret)));
      if (found && !this.deps.vault.hasKey(found.tokenKeyId)) {
        // Fail: encrypting under another key would create tokens that other replicas cannot decrypt.
        throw new Error(
          `The tokens of account ${found.accountId} are encrypted with key ${found.tokenKeyId}, which is not configured. Add it to \`ENCRYPTION_KEYS\`.`,
        );
      }
      return found;
    });
    return key && this.#admit(key, origin);
  }

  async #findPersonsAccount(role: PersonsRole, origin: Origin): Promise<Caller> {
    const { requestId, deadline, consoleSession: session } = origin;
    const { accountName, person } = role;
    const account = await findAccount(this.deps.db.of({ accountName, deadline }), accountName);
    if (!account) throw new DomainError("forbidden", `The account ${accountName} does not exist.`);
    const actor = { keyId: null, name: person.name, requestId };
    return { ...account, ...role, keyId: 0, actor, session, deadline };
  }

  #admit(key: ActiveKey, { requestId, deadline, consoleSession }: Omit<Origin, "address">): Caller {
    this.deps.usage.recordKey(key.accountId, key.keyId);
    return {
      accountId: key.accountId,
      accountName: key.accountName,
      environment: key.environment,
      keyId: key.keyId,
      actor: { keyId: key.keyId, name: key.keyName, requestId },
      tokenKeyId: key.tokenKeyId,
      scope: key.scope,
      session: consoleSession,
      deadline,
    };
  }
}
