import { randomUUID } from "node:crypto";
import { CompactSign } from "jose";
import type { Embedder } from "../../domain/accounts/caller.js";
import type { TokenVault } from "../../domain/accounts/token-vault.js";
import { sessionAudience, sessionExpiry } from "../../domain/authentication/embed-session.js";
import { renderClaims } from "../../domain/session-templates/rendering.js";
import { urlOf } from "../../domain/session-templates/template.js";
import { invalidField } from "../../domain/shared/errors.js";
import type { JsonObject } from "../../domain/shared/json.js";
import type { UserGroupRef } from "../../domain/user-groups/user-group.js";
import { recordEmbedSession } from "../../persistence/authentication/embed-session-queries.js";
import type { Database } from "../../persistence/database/database.js";
import {
  findSessionSource,
  type StoredTemplate,
} from "../../persistence/session-templates/session-queries.js";
import type { Metrics } from "../../telemetry/metrics.js";
import { requireUserGroup, storedRef } from "../user-groups/reader.js";
import type { TemplateKeys } from "./keys.js";
import { readTemplateSecret } from "./secrets.js";
import { requireTemplate } from "./service.js";

interface TemplateSessionDependencies {
  readonly db: Database;
  readonly vault: TokenVault;
  readonly keys: TemplateKeys;
  readonly isAudited: boolean;
  /** Counts created sessions. */
  readonly created: Metrics["embedSessions"];
}

/** A token of a group for another tool. */
export interface TemplateSession {
  readonly template: string;
  readonly token: string;
  readonly expiresAt: Date;
  /** The address of the tool's frame with the token; null if the template has none. */
  readonly url: string | null;
}

/** Creates sessions of templates: short-lived tokens that other tools verify (decision 60). */
export class TemplateSessions {
  constructor(private readonly deps: TemplateSessionDependencies) {}

  /**
   * Creates the token of a group for a tool, and counts it as an embed session.
   * @param expiresInSeconds shortens the template's lifetime
   * @throws DomainError `user_group_not_found`, `session_template_not_found`; `invalid_field` with every claim that has no value
   */
  async create(
    embedder: Embedder,
    ref: UserGroupRef,
    name: string,
    {
      expiresInSeconds,
      variables,
    }: { readonly expiresInSeconds: number | undefined; readonly variables: JsonObject },
  ): Promise<TemplateSession> {
    const { db, vault, isAudited, created } = this.deps;
    if (embedder.transaction)
      throw invalidField(
        ["Idempotency-Key"],
        "must be omitted: replies with tokens of sessions are not stored",
      );
    const tenant = db.for(embedder);
    const found = await findSessionSource(tenant, storedRef(vault, ref), name);
    const { userGroup, mapping, template: stored } = requireUserGroup(found, ref);
    const template = requireTemplate(stored);
    const sessionId = `${name}/${randomUUID()}`;
    const { accountName, environment, keyId } = embedder;
    const claims = renderClaims(template.claims, {
      userGroup,
      mapping,
      variables,
      accountName,
      environment,
      sessionId,
    });
    const signer = await this.#signer(embedder, template);
    // Only now: a refused session is not counted.
    const group = { by: "id", id: userGroup.id } as const;
    const recorded = await recordEmbedSession(tenant, group, keyId, { isAudited, sessionId });
    const { keyExpiresAt } = requireUserGroup(recorded, ref);
    const iat = Math.floor(Date.now() / 1000);
    const seconds = Math.min(template.lifetimeSeconds, expiresInSeconds ?? template.lifetimeSeconds);
    const exp = sessionExpiry(iat, seconds, keyExpiresAt);
    const payload = JSON.stringify({ ...claims, ...signer.claims, iat, exp });
    const token = await new CompactSign(Buffer.from(payload))
      .setProtectedHeader({ alg: template.algorithm, typ: "JWT", ...signer.header })
      .sign(signer.key);
    created.inc();
    const url = template.url === null ? null : urlOf(template.url, token);
    return { template: name, token, expiresAt: new Date(exp * 1000), url };
  }

  /** Returns the key of a template, and the header and claims that belong to it. */
  async #signer(embedder: Embedder, template: StoredTemplate) {
    const { keys, vault } = this.deps;
    if (template.algorithm === "HS256") {
      const key = readTemplateSecret(vault, embedder, template);
      if (!key) throw new Error("A session template with HS256 has no secret.");
      return { key, header: template.header, claims: {} };
    }
    const { id, key } = await keys.of(embedder).signer();
    const aud = sessionAudience(embedder.accountName, embedder.environment);
    return { key, header: { kid: id }, claims: { iss: keys.requireIssuer(embedder), aud } };
  }
}
