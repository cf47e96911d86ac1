import { errors, type JWTVerifyResult, jwtVerify, SignJWT } from "jose";
import type { Embedder } from "../../domain/accounts/caller.js";
import type { TokenVault } from "../../domain/accounts/token-vault.js";
import {
  type EmbedSession,
  type EmbedSessionRequest,
  parseSessionClaims,
  SESSION_ISSUER,
  SESSION_TYPE,
  sessionAudience,
  writeSessionClaims,
} from "../../domain/authentication/embed-session.js";
import { SIGNING_ALGORITHM } from "../../domain/authentication/signing-key.js";
import type { Deadline } from "../../domain/shared/deadline.js";
import { inOrder } from "../../domain/shared/in-order.js";
import type { UserGroup, UserGroupRef } from "../../domain/user-groups/user-group.js";
import {
  findSessionGroups,
  recordEmbedSession,
  type SessionGroup,
} from "../../persistence/authentication/embed-session-queries.js";
import type { Database } from "../../persistence/database/database.js";
import type { Counter } from "../../telemetry/counters.js";
import { type Batching, BatchLoader } from "../shared/batch-loader.js";
import { requireUserGroup, storedRef } from "../user-groups/lookup.js";
import type { SigningKeys } from "./signing-keys.js";

export interface EmbedSessionDependencies {
  readonly db: Database;
  readonly vault: TokenVault;
  readonly keys: SigningKeys;
  readonly batching: Batching;
  /** Counts created sessions. */
  readonly created: Counter;
}

/** Creates and verifies embed sessions: short-lived tokens of one user group (decision 15a). */
export class EmbedSessions {
  readonly #db: Database;
  readonly #vault: TokenVault;
  readonly #keys: SigningKeys;
  readonly #created: Counter;
  readonly #groups: BatchLoader<number, SessionGroup | null>;

  constructor({ db, vault, keys, batching, created }: EmbedSessionDependencies) {
    this.#db = db;
    this.#vault = vault;
    this.#keys = keys;
    this.#created = created;
    this.#groups = new BatchLoader(
      "embed_session_groups",
      async (tenant, ids) =>
        inOrder(ids, await findSessionGroups(db.for(tenant), ids), ({ userGroup }) => userGroup.id),
      batching,
    );
  }

  /**
   * Creates an embed session of a group, and an audit entry without the token.
   * @throws DomainError `user_group_not_found`
   */
  async create(
    embedder: Embedder,
    ref: UserGroupRef,
    { expiresInSeconds, variables }: EmbedSessionRequest,
  ): Promise<{ readonly token: string; readonly expiresAt: Date }> {
    const { accountId, accountName, environment } = embedder;
    const stored = storedRef(this.#vault, ref);
    const signer = await this.#keys.signer();
    const { id, generation } = requireUserGroup(
      await recordEmbedSession(this.#db.for(embedder), stored),
      ref,
    );
    const issuedAt = Math.floor(Date.now() / 1000);
    const expiresAt = issuedAt + expiresInSeconds;
    const claims = { accountId, environment, userGroupId: id, generation, variables };
    const token = await new SignJWT(writeSessionClaims(claims))
      .setProtectedHeader({ alg: SIGNING_ALGORITHM, kid: signer.id, typ: SESSION_TYPE })
      .setIssuer(SESSION_ISSUER)
      .setAudience(sessionAudience(accountName, environment))
      .setSubject(String(id))
      .setIssuedAt(issuedAt)
      .setExpirationTime(expiresAt)
      .sign(signer.key);
    this.#created.value += 1;
    return { token, expiresAt: new Date(expiresAt * 1000) };
  }

  /**
   * Verifies an embed session and loads its group.
   * @returns null if the token is not valid, the group was deleted, or its token has been rotated since
   */
  async verify(
    token: string,
    deadline: Deadline | undefined,
  ): Promise<{ readonly userGroup: UserGroup; readonly embedSession: EmbedSession } | null> {
    const payload = await this.#verifySignature(token);
    const claims = payload && parseSessionClaims(payload);
    if (!claims || payload?.exp === undefined) return null;
    const { accountId, environment, userGroupId, generation, variables } = claims;
    // Read from the primary: a lagging replica would still accept a session of a rotated token.
    const group = await this.#groups.load({ accountId, environment, deadline }, userGroupId);
    if (group?.generation !== generation) return null;
    if (payload.aud !== sessionAudience(group.accountName, environment)) return null;
    const expiresAt = new Date(payload.exp * 1000);
    return { userGroup: group.userGroup, embedSession: { generation, expiresAt, variables } };
  }

  async #verifySignature(token: string): Promise<JWTVerifyResult["payload"] | null> {
    try {
      const { payload } = await jwtVerify(
        token,
        async ({ kid = "" }) => {
          const key = await this.#keys.verifier(kid);
          if (!key) throw new errors.JWKSNoMatchingKey();
          return key;
        },
        { algorithms: [SIGNING_ALGORITHM], issuer: SESSION_ISSUER, typ: SESSION_TYPE },
      );
      return payload;
    } catch (error) {
      if (error instanceof errors.JOSEError) return null;
      throw error;
    }
  }
}
