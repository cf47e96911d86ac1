import { hashApiKey, readApiKey } from "../../domain/accounts/api-key.js";
import type { Caller } from "../../domain/accounts/caller.js";
import { ENVIRONMENTS } from "../../domain/accounts/environment.js";
import type { TokenVault } from "../../domain/accounts/token-vault.js";
import {
  findApiKey,
  missingCredentials,
  readApiKeyHeader,
  readCredentials,
} from "../../domain/authentication/authorization.js";
import type { Identity } from "../../domain/authentication/identity.js";
import type { Deadline } from "../../domain/shared/deadline.js";
import { DomainError } from "../../domain/shared/errors.js";
import { mayBeToken, readUserGroupToken } from "../../domain/user-groups/token.js";
import type { UserGroup } from "../../domain/user-groups/user-group.js";
import { type ActiveKey, findActiveKey } from "../../persistence/accounts/api-key-queries.js";
import type { Database } from "../../persistence/database/database.js";
import { findTokenPlaces } from "../../persistence/user-groups/brought-token-queries.js";
import type { KeyCache } from "../accounts/key-cache.js";
import type { KeyUsage } from "../accounts/key-usage.js";
import type { AuthFailures } from "../requests/auth-failures.js";
import type { UserGroupReader } from "../user-groups/reader.js";

/** Where a request comes from. */
export interface Origin {
  readonly requestId: string;
  /** The address of the client. */
  readonly address: string;
  /** Until when the request must be answered. */
  readonly deadline?: Deadline | undefined;
}

/** Tells who is asking. */
export class Access {
  readonly #db: Database;
  readonly #vault: TokenVault;
  readonly #usage: KeyUsage;
  readonly #failures: AuthFailures;
  readonly #keys: KeyCache;
  readonly #reader: UserGroupReader;

  constructor(
    db: Database,
    vault: TokenVault,
    keys: KeyCache,
    reader: UserGroupReader,
    usage: KeyUsage,
    failures: AuthFailures,
  ) {
    this.#db = db;
    this.#vault = vault;
    this.#keys = keys;
    this.#reader = reader;
    this.#usage = usage;
    this.#failures = failures;
  }

  /**
   * Finds the caller behind an Authorization header with an API key.
   * @param origin for the audit log, and for counting failures
   * @throws DomainError `unauthenticated` when the header is missing or malformed, or the key unknown, revoked or expired;
   *   `rate_limited` when that happened too often to the address
   */
  async authenticate(header: string | undefined, origin: Origin): Promise<Caller> {
    return this.#countFailure(header, origin.address, () =>
      this.#findCaller(readApiKeyHeader(header), origin),
    );
  }

  /**
   * Finds the caller behind an Authorization header with an API key that is remembered, so that nobody waits for anything.
   * It works from every address: it is no guess.
   * @returns null for any other, valid or not
   */
  recall(header: string | undefined, origin: Omit<Origin, "address">): Caller | null {
    const secret = header === undefined ? undefined : findApiKey(header);
    const key = secret === undefined ? null : this.#keys.recall(secret);
    return key && this.#admit(key, origin);
  }

  /**
   * Finds who is behind an Authorization header with an API key or a user group token (decision 15).
   * @throws DomainError as `authenticate` does; `unauthenticated` also for a token that is unknown or was rotated
   */
  async identify(header: string | undefined, origin: Origin): Promise<Identity> {
    return this.#countFailure(header, origin.address, () => this.#identify(header, origin));
  }

  async #identify(header: string | undefined, origin: Omit<Origin, "address">): Promise<Identity> {
    const { kind, secret } = readCredentials(header);
    if (kind === "apiKey") return { kind: "caller", caller: await this.#findCaller(secret, origin) };
    const { deadline } = origin;
    const userGroup = await this.#findUserGroup(secret, deadline);
    if (userGroup) return { kind: "frontEnd", userGroup, deadline };
    throw new DomainError("unauthenticated", "The user group token is unknown or was rotated.");
  }

  /**
   * Decision 33: from an address that failed too often, only credentials that were valid before are looked up; missing credentials
   * are no attempt.
   */
  async #countFailure<Result>(
    header: string | undefined,
    address: string,
    find: () => Promise<Result>,
  ): Promise<Result> {
    if (header === undefined || header === "") throw missingCredentials();
    this.#failures.requireFew(address, header);
    try {
      const found = await find();
      this.#failures.noteSuccess(header);
      return found;
    } catch (error) {
      if (error instanceof DomainError && error.code === "unauthenticated")
        await this.#failures.note(address, header);
      throw error;
    }
  }

  /** A token, present or in its grace period, decides the environment, but does not tell it. */
  async #findUserGroup(token: string, deadline: Deadline | undefined): Promise<UserGroup | null> {
    const route = readUserGroupToken(token);
    const places = route ? ENVIRONMENTS.map((environment) => ({ ...route, environment, deadline })) : [];
    for (const place of places) {
      const [group] = await this.#reader.byTokens(place, [token]);
      if (group) return group;
    }
    return mayBeToken(token) ? this.#findBrought(token, deadline) : null;
  }

  /** Decision 45: a token from elsewhere does not name its account; were it that of two groups, it would be that of none. */
  async #findBrought(token: string, deadline: Deadline | undefined): Promise<UserGroup | null> {
    const places = await findTokenPlaces(this.#db.of("operator", deadline), this.#vault.lookups(token));
    const found = await Promise.all(
      places.map((place) => this.#reader.byTokens({ ...place, deadline }, [token])),
    );
    // Several of the places may lead to one group: that had the token before, and another one that has it now.
    const groups = new Map(found.flat().flatMap((group) => (group ? [[group.id, group]] : [])));
    const [group = null] = groups.values();
    return groups.size === 1 ? group : null;
  }

  async #findCaller(secret: string, origin: Omit<Origin, "address">): Promise<Caller> {
    const key = await this.#keys.find(secret, origin.deadline, async (deadline) => {
      const route = readApiKey(secret);
      return route && findActiveKey(this.#db.of({ ...route, deadline }), route.accountId, hashApiKey(secret));
    });
    if (!key) throw new DomainError("unauthenticated", "The API key is unknown, revoked or expired.");
    return this.#admit(key, origin);
  }

  #admit(key: ActiveKey, { requestId, deadline }: Omit<Origin, "address">): Caller {
    if (!this.#vault.holds(key.tokenKeyId)) {
      // Going on would encrypt tokens that the other replicas cannot open.
      throw new Error(
        `The tokens of account ${key.accountId} are encrypted under key ${key.tokenKeyId}, which is not configured.`,
      );
    }
    this.#usage.note(key.accountId, key.keyId);
    return {
      accountId: key.accountId,
      accountName: key.accountName,
      environment: key.environment,
      keyId: key.keyId,
      actor: { keyId: key.keyId, name: key.keyName, requestId },
      tokenKeyId: key.tokenKeyId,
      scope: key.scope,
      deadline,
    };
  }
}
