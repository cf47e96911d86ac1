import { errors, type JWTVerifyResult, jwtVerify, SignJWT } from "jose";
import type { Embedder } from "../../domain/accounts/caller.js";
import type { TokenVault } from "../../domain/accounts/token-vault.js";
import { sessionError } from "../../domain/authentication/authorization.js";
import {
  type EmbedSession,
  type EmbedSessionRequest,
  parseSessionClaims,
  SESSION_ISSUER,
  SESSION_TYPE,
  type SessionClaims,
  sessionAudience,
  sessionExpiry,
  writeSessionClaims,
} from "../../domain/authentication/embed-session.js";
import { SIGNING_ALGORITHM } from "../../domain/authentication/signing-key.js";
import type { Deadline } from "../../domain/shared/deadline.js";
import type { UserGroup, UserGroupRef } from "../../domain/user-groups/user-group.js";
import {
  findSessionGroups,
  recordEmbedSession,
  type SessionGroup,
} from "../../persistence/authentication/embed-session-queries.js";
import type { Database } from "../../persistence/database/database.js";
import type { Metrics } from "../../telemetry/metrics.js";
import { type Batching, BatchLoader } from "../shared/batch-loader.js";
import { requireUserGroup, storedRef } from "../user-groups/reader.js";
import type { SigningKeys } from "./signing-keys.js";

interface EmbedSessionDependencies {
  readonly db: Database;
  readonly vault: TokenVault;
  readonly keys: SigningKeys;
  readonly batching: Batching;
  readonly isAudited: boolean;
  /** Counts created sessions. */
  readonly created: Metrics["embedSessions"];
}

/** Creates and verifies embed sessions: short-lived tokens of one user group (decision 15a). */
export class EmbedSessions {
  readonly #groups: BatchLoader<SessionClaims, SessionGroup | null>;

  constructor(private readonly deps: EmbedSessionDependencies) {
    this.#groups = new BatchLoader(
      "embed_session_groups",
      async (tenant, claims) => {
        const ids = claims.map(({ userGroupId }) => userGroupId);
        const keyIds = claims.flatMap(({ keyId = [] }) => keyId);
        const { groups, activeKeys } = await findSessionGroups(deps.db.for(tenant), ids, keyIds);
        return claims.map(({ userGroupId, keyId }) =>
          keyId === undefined || activeKeys.has(keyId) ? (groups.get(userGroupId) ?? null) : null,
        );
      },
      deps.batching,
    );
  }

  /**
   * Creates an embed session of a group, which expires with its API key at the latest, and counts it.
   * @throws DomainError `user_group_not_found`
   */
  async create(
    embedder: Embedder,
    ref: UserGroupRef,
    { expiresInSeconds, variables }: EmbedSessionRequest,
  ): Promise<{ readonly token: string; readonly expiresAt: Date }> {
    const { accountId, accountName, environment, keyId, person } = embedder;
    const stored = storedRef(this.deps.vault, ref);
    const signer = await this.deps.keys.signer();
    const { id, generation, keyExpiresAt } = requireUserGroup(
      await recordEmbedSession(this.deps.db.for(embedder), stored, keyId, this.deps),
      ref,
    );
    const issuedAt = Math.floor(Date.now() / 1000);
    const expiresAt = sessionExpiry(issuedAt, expiresInSeconds, keyExpiresAt);
    const claims = { accountId, environment, generation, keyId: person ? undefined : keyId, variables };
    const token = await new SignJWT(writeSessionClaims(claims))
      .setProtectedHeader({ alg: SIGNING_ALGORITHM, kid: signer.id, typ: SESSION_TYPE })
      .setIssuer(SESSION_ISSUER)
      .setAudience(sessionAudience(accountName, environment))
      .setSubject(String(id))
      .setIssuedAt(issuedAt)
      .setExpirationTime(expiresAt)
      .sign(signer.key);
    this.deps.created.inc();
    return { token, expiresAt: new Date(expiresAt * 1000) };
  }

  /**
   * Verifies an embed session and loads its group.
   * @throws DomainError `unauthenticated` if the session has expired or ended: the group was deleted, its token rotated or the session's
   *   API key revoked
   * @returns null if the session cannot be verified
   */
  async verify(
    token: string,
    deadline: Deadline | undefined,
  ): Promise<{ readonly userGroup: UserGroup; readonly embedSession: EmbedSession } | null> {
    const payload = await this.#verifySignature(token);
    const claims = payload && parseSessionClaims(payload);
    if (!claims) return null;
    const { accountId, environment, generation } = claims;
    const group = await this.#groups.load({ accountId, environment, deadline }, claims);
    if (group?.generation !== generation) throw sessionError("ended");
    if (payload?.aud !== sessionAudience(group.accountName, environment)) return null;
    return { userGroup: group.userGroup, embedSession: claims };
  }

  async #verifySignature(token: string): Promise<JWTVerifyResult["payload"] | null> {
    try {
      const { payload } = await jwtVerify(
        token,
        async ({ kid = "" }) => {
          const key = await this.deps.keys.verifier(kid);
          if (!key) throw new errors.JWKSNoMatchingKey();
          return key;
        },
        { algorithms: [SIGNING_ALGORITHM], issuer: SESSION_ISSUER, typ: SESSION_TYPE },
      );
      return payload;
    } catch (error) {
      if (error instanceof errors.JWTExpired) throw sessionError("expired");
      if (error instanceof errors.JOSEError) return null;
      throw error;
    }
  }
}
