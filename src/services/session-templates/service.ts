import type { Admin, Tenant } from "../../domain/accounts/caller.js";
import type { TokenVault } from "../../domain/accounts/token-vault.js";
import {
  DEFAULT_TEMPLATE,
  MAX_SESSION_TEMPLATES,
  originOf,
  parseSecret,
  parseTemplate,
  type SecretEncoding,
  type SessionTemplate,
  type SessionTemplateFields,
  type SessionTemplateRef,
  secretWarnings,
  type TemplateInput,
} from "../../domain/session-templates/template.js";
import { DomainError, type FieldPath, invalidField } from "../../domain/shared/errors.js";
import { requireVersion } from "../../domain/shared/expected-version.js";
import { inOrder } from "../../domain/shared/in-order.js";
import type { Database } from "../../persistence/database/database.js";
import {
  deleteSessionTemplate,
  findSessionTemplates,
  insertSessionTemplate,
  isSecretElsewhere,
  lockSessionTemplate,
  lockSessionTemplates,
  SESSION_TEMPLATE_LIST,
  type StoredSecret,
  toSessionTemplate,
  updateSessionTemplate,
} from "../../persistence/session-templates/templates.js";
import { violates } from "../../persistence/shared/database-error.js";
import type { TenantTransaction } from "../../persistence/shared/tenant-db.js";
import { type Batching, BatchLoader } from "../shared/batch-loader.js";
import { StoredList } from "../shared/item-list.js";
import type { TemplateChecks } from "./checks.js";
import type { TemplateKeys } from "./keys.js";
import { secretLookups, storeTemplateSecret } from "./secrets.js";

const NO_SECRET: StoredSecret = { secretKeyId: null, secretCiphertext: null, secretLookup: null };

/** A secret as a client sends it. */
interface SentSecret {
  readonly text: string;
  readonly encoding: SecretEncoding;
}

/** A saved template and what its author should know. */
export interface SavedTemplate {
  readonly template: SessionTemplate;
  readonly warnings: readonly string[];
}

interface SessionTemplateDependencies {
  readonly db: Database;
  readonly vault: TokenVault;
  readonly keys: TemplateKeys;
  readonly checks: TemplateChecks;
  readonly batching: Batching;
}

/** Manages the session templates of an environment (decision 60). */
export class SessionTemplates {
  readonly list: StoredList<SessionTemplate, object, "name">;
  readonly byName: BatchLoader<string, SessionTemplate | null>;

  constructor(private readonly deps: SessionTemplateDependencies) {
    const { db, batching } = deps;
    this.list = new StoredList(db, SESSION_TEMPLATE_LIST);
    this.byName = new BatchLoader(
      "session_templates_by_name",
      async (tenant, names) =>
        inOrder(names, await findSessionTemplates(db.for(tenant), names), ({ name }) => name),
      batching,
    );
  }

  /** @throws DomainError `session_template_not_found` */
  async require(tenant: Tenant, name: string): Promise<SessionTemplate> {
    return requireTemplate(await this.byName.load(tenant, name));
  }

  /** @throws DomainError `invalid_field` with every invalid field; `session_template_exists` */
  async create(admin: Admin, input: TemplateInput, sent: SentSecret | undefined): Promise<SavedTemplate> {
    const fields = parseTemplate(input, DEFAULT_TEMPLATE);
    const secret = this.#parseSecret(admin, fields, sent, null);
    const template = await this.#save(admin, async (transaction) => {
      await this.#requireOwnSecret(transaction, secret);
      return insertSessionTemplate(transaction, fields, this.#store(admin, secret));
    });
    if (!template)
      throw new DomainError(
        "invalid_field",
        `An environment can have at most ${MAX_SESSION_TEMPLATES} session templates. Delete one first.`,
      );
    return this.#saved(admin, template, secret);
  }

  /**
   * Changes the fields that are present.
   * @param expectedVersion that the template must have
   * @throws DomainError `session_template_not_found`, `version_conflict`; as `create` does; `invalid_field` if the secret must be sent again
   */
  async update(
    admin: Admin,
    ref: SessionTemplateRef,
    changes: TemplateInput,
    {
      secret: sent,
      expectedVersion,
    }: { secret: SentSecret | undefined; expectedVersion: number | undefined },
  ): Promise<SavedTemplate> {
    const { template, secret } = await this.#save(admin, async (transaction) => {
      const former = requireTemplate(await lockSessionTemplate(transaction, ref), ["by", ref.by]);
      requireVersion("session template", former.version, expectedVersion);
      const before = toSessionTemplate(former);
      const fields = parseTemplate(changes, before);
      const secret = this.#parseSecret(admin, fields, sent, before);
      await this.#requireOwnSecret(transaction, secret);
      const isKept = fields.algorithm === "HS256" && !secret;
      const stored = isKept ? undefined : this.#store(admin, secret);
      return { template: await updateSessionTemplate(transaction, former, fields, stored), secret };
    });
    return this.#saved(admin, template, secret);
  }

  /** @throws DomainError `session_template_not_found`, `version_conflict` */
  async delete(
    admin: Admin,
    ref: SessionTemplateRef,
    expectedVersion: number | undefined,
  ): Promise<SessionTemplate> {
    return this.#save(admin, async (transaction) => {
      const former = requireTemplate(await lockSessionTemplate(transaction, ref), ["by", ref.by]);
      requireVersion("session template", former.version, expectedVersion);
      await deleteSessionTemplate(transaction, former);
      return toSessionTemplate(former);
    });
  }

  async #save<Result>(
    admin: Admin,
    work: (transaction: TenantTransaction) => Promise<Result>,
  ): Promise<Result> {
    try {
      return await this.deps.db.for(admin).transaction(async (transaction) => {
        await lockSessionTemplates(transaction);
        return work(transaction);
      });
    } catch (error) {
      if (!violates(error, "session_template_name_uq")) throw error;
      const message = "A session template with this name already exists.";
      throw new DomainError("session_template_exists", message, { field: ["name"], cause: error });
    }
  }

  async #saved(admin: Admin, template: SessionTemplate, secret: Buffer | null): Promise<SavedTemplate> {
    // So that its key set can be loaded before the first session.
    if (template.algorithm === "ES256") await this.deps.keys.of(admin).signer();
    const missing = await this.deps.checks.warnings(admin, template.claims);
    return { template, warnings: [...(secret ? secretWarnings(secret) : []), ...missing] };
  }

  /**
   * Parses the secret of a template. A stored one stays only where it was given for: the same algorithm, and the same origin of the URL.
   * @returns null if there is none, or the stored one stays
   * @throws DomainError `invalid_field`
   */
  #parseSecret(
    admin: Admin,
    { algorithm, url }: SessionTemplateFields,
    sent: SentSecret | undefined,
    former: SessionTemplate | null,
  ): Buffer | null {
    const field = ["secret"];
    if (algorithm === "ES256") {
      this.deps.keys.requireIssuer(admin);
      if (!sent) return null;
      throw invalidField(
        field,
        "must be omitted: with ES256, the service signs with keys of the environment",
      );
    }
    if (sent) return parseSecret(sent.text, sent.encoding, field);
    if (!former) throw invalidField(field, "is required with HS256: the secret of the dashboard tool");
    if (!former.hasSecret) throw invalidField(field, "is required when the algorithm becomes HS256");
    if (url !== null && (former.url === null || originOf(url) !== originOf(former.url)))
      throw invalidField(field, "must be sent again when tokens go to another origin");
    return null;
  }

  #store(admin: Admin, secret: Buffer | null): StoredSecret {
    return secret ? storeTemplateSecret(this.deps.vault, admin, secret) : NO_SECRET;
  }

  /** Refuses a secret that the other environment uses: a test could then show real data. @throws DomainError `invalid_field` */
  async #requireOwnSecret(transaction: TenantTransaction, secret: Buffer | null): Promise<void> {
    if (secret && (await isSecretElsewhere(transaction, secretLookups(this.deps.vault, secret))))
      throw invalidField(["secret"], "must not be that of a template in the other environment");
  }
}

/** @throws DomainError `session_template_not_found` */
export function requireTemplate<Found extends object>(
  found: Found | null,
  field: FieldPath = ["template"],
): Found {
  if (found) return found;
  throw new DomainError(
    "session_template_not_found",
    "No session template of this environment has this name or ID. Templates of the other environment are not visible here.",
    { field },
  );
}
