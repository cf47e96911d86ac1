import { Column, Entity, In, IsNull, Not, Unique } from "typeorm";
import { ENVIRONMENTS, type Environment } from "../../domain/accounts/environment.js";
import { CHANGED_FIELDS, differingFields } from "../../domain/audit/entry.js";
import { changedClaims } from "../../domain/session-templates/claims.js";
import {
  MAX_SESSION_TEMPLATES,
  SESSION_TEMPLATE_ORDER,
  type SessionTemplate,
  type SessionTemplateFields,
  type SessionTemplateRef,
} from "../../domain/session-templates/template.js";
import { insertEntity } from "../shared/entity-manager.js";
import { record } from "../shared/record.js";
import { defineList } from "../shared/select-page.js";
import type { Statement } from "../shared/statement.js";
import {
  AccountKey,
  EnvironmentKey,
  type RowOf,
  SequenceKey,
  TENANT_COLUMNS,
  TimeOfWriting,
  tableOf,
} from "../shared/table.js";
import type { TenantDb, TenantTransaction } from "../shared/tenant-db.js";

@Entity("session_template")
@Unique("session_template_name_uq", ["accountId", "environment", "name"])
export class SessionTemplateEntity {
  @AccountKey("session_template_pk")
  accountId!: number;

  @EnvironmentKey("session_template_pk")
  environment!: Environment;

  @SequenceKey("session_template_pk")
  id!: number;

  @Column({ type: "text", collation: "C" })
  name!: string;

  @Column("text")
  description!: string;

  @Column("text")
  algorithm!: SessionTemplateFields["algorithm"];

  /** JSON text, as are the claims. */
  @Column("text")
  header!: string;

  @Column("text")
  claims!: string;

  @Column("integer")
  lifetimeSeconds!: number;

  @Column("text", { nullable: true })
  url!: string | null;

  @Column("text", { nullable: true })
  secretKeyId!: string | null;

  @Column("bytea", { nullable: true })
  secretCiphertext!: Buffer | null;

  /** Keyed hash, by which the other environment finds the same secret. */
  @Column("bytea", { nullable: true })
  secretLookup!: Buffer | null;

  @Column("integer", { default: 1 })
  version!: number;

  @TimeOfWriting()
  createdAt!: Date;

  @TimeOfWriting()
  updatedAt!: Date;
}

const TEMPLATES = tableOf(SessionTemplateEntity, [...TENANT_COLUMNS, "secretCiphertext", "secretLookup"]);

export const SESSION_TEMPLATE_LIST = defineList({
  table: TEMPLATES,
  order: SESSION_TEMPLATE_ORDER,
  toItem: toSessionTemplate,
  conditions: () => [],
});

// Raw SQL: TypeORM has no advisory locks, whose key is an arbitrary unique constant and the account, and no settings.
const LOCK: Statement = {
  name: "session_templates_lock",
  access: "write",
  text: "SELECT pg_advisory_xact_lock(7202, $1)",
};
/** Locks the account's templates until the transaction ends, so that concurrent changes cannot exceed the limit or share a secret. */
export async function lockSessionTemplates({ raw, accountId }: TenantTransaction): Promise<void> {
  await raw.run(LOCK, [accountId]);
}

/** Returns whether the account's other environment has a secret with one of these hashes. The account's templates must be locked. */
export async function isSecretElsewhere(
  transaction: TenantTransaction,
  lookups: readonly Buffer[],
): Promise<boolean> {
  const { accountId, environment: own, raw } = transaction;
  const enter = (environment: Environment) =>
    raw.run({ access: "write", text: `SET LOCAL app.environment = '${environment}'` }, []);
  let count = 0;
  for (const environment of ENVIRONMENTS.filter((each) => each !== own)) {
    await enter(environment);
    const manager = transaction.manager("read", "session_template_secrets");
    count += await manager.countBy(SessionTemplateEntity, {
      accountId,
      environment,
      secretLookup: In([...lookups]),
    });
  }
  await enter(own);
  return count > 0;
}

/** A template's encrypted secret. */
export type StoredSecret = Pick<SessionTemplateEntity, "secretKeyId" | "secretCiphertext" | "secretLookup">;

/**
 * Inserts a template; the account's templates must be locked.
 * @returns null if the environment already has as many as it may
 * @throws the driver's error for a taken name
 */
export async function insertSessionTemplate(
  transaction: TenantTransaction,
  fields: SessionTemplateFields,
  secret: StoredSecret,
): Promise<SessionTemplate | null> {
  const manager = transaction.manager("write", "session_template_insert");
  const count = await manager.countBy(SessionTemplateEntity, transaction.key);
  if (count >= MAX_SESSION_TEMPLATES) return null;
  const created = await insertEntity(manager, SessionTemplateEntity, {
    ...transaction.key,
    ...toColumns(fields),
    ...secret,
  });
  await record(transaction, { action: "session_template.created", ...subjectOf(created) });
  return toSessionTemplate(created);
}

/** Updates a locked template, if fields differ. @param secret absent if it stays as it is @throws the driver's error for a taken name */
export async function updateSessionTemplate(
  transaction: TenantTransaction,
  former: SessionTemplateEntity,
  fields: SessionTemplateFields,
  secret: StoredSecret | undefined,
): Promise<SessionTemplate> {
  const action = "session_template.updated";
  const isNewSecret = secret !== undefined && String(secret.secretLookup) !== String(former.secretLookup);
  const columns = toColumns(fields);
  const changed = differingFields(
    CHANGED_FIELDS[action],
    { ...former, secret: false },
    { ...columns, secret: isNewSecret },
  );
  if (changed.length === 0) return toSessionTemplate(former);
  const manager = transaction.manager("write", "session_template_update");
  const key = { ...transaction.key, id: former.id };
  const version = former.version + 1;
  await manager.update(SessionTemplateEntity, key, {
    ...columns,
    ...secret,
    version,
    updatedAt: () => "greatest(statement_timestamp(), updated_at)",
  });
  const current = await manager.findOneByOrFail(SessionTemplateEntity, key);
  const claims = changedClaims(JSON.parse(former.claims), fields.claims);
  // Without paths, only the order of claims differs.
  const fieldsChanged = claims.length > 0 ? changed.filter((field) => field !== "claims") : changed;
  await record(transaction, { action, ...subjectOf(current), changed: [...fieldsChanged, ...claims] });
  return toSessionTemplate(current);
}

/** Deletes a locked template. */
export async function deleteSessionTemplate(
  transaction: TenantTransaction,
  former: SessionTemplateEntity,
): Promise<void> {
  const manager = transaction.manager("write", "session_template_delete");
  await manager.delete(SessionTemplateEntity, { ...transaction.key, id: former.id });
  await record(transaction, { action: "session_template.deleted", ...subjectOf(former) });
}

/** Loads a template and locks it until the transaction ends; null if it does not exist. */
export async function lockSessionTemplate(
  transaction: TenantTransaction,
  { by, ...ref }: SessionTemplateRef,
): Promise<SessionTemplateEntity | null> {
  const where = { ...transaction.key, ...ref };
  const manager = transaction.manager("write", "session_template_lock");
  return manager.findOne(SessionTemplateEntity, { where, lock: { mode: "pessimistic_write" } });
}

/** Finds templates by name. */
export async function findSessionTemplates(
  db: TenantDb,
  names: readonly string[],
): Promise<SessionTemplate[]> {
  const manager = db.manager("read", "session_templates_by_name");
  const found = await manager.findBy(SessionTemplateEntity, { ...db.key, name: In([...names]) });
  return found.map(toSessionTemplate);
}

/** Finds the templates whose secrets are encrypted with a key other than `keyId`. */
export async function findTemplatesUnderOtherKeys(
  db: TenantDb,
  keyId: string,
): Promise<SessionTemplateEntity[]> {
  const manager = db.manager("read", "template_secrets_under_other_keys");
  return manager.findBy(SessionTemplateEntity, { ...db.key, secretKeyId: Not(keyId) });
}

/** Replaces a secret by the re-encrypted one, unless it has been changed since. */
export async function reencryptTemplateSecret(
  db: TenantDb,
  { id, secretCiphertext }: SessionTemplateEntity,
  secret: StoredSecret,
): Promise<void> {
  const manager = db.manager("write", "template_secret_reencrypt");
  const key = { ...db.key, id, secretCiphertext: secretCiphertext ?? IsNull() };
  await manager.update(SessionTemplateEntity, key, secret);
}

function subjectOf({ id, name, version }: SessionTemplateEntity) {
  return { subjectId: id, subjectName: name, version };
}

function toColumns({ header, claims, ...fields }: SessionTemplateFields) {
  return { ...fields, header: JSON.stringify(header), claims: JSON.stringify(claims) };
}

export function toSessionTemplate(row: RowOf<typeof TEMPLATES>): SessionTemplate {
  const { id, name, description, algorithm, lifetimeSeconds, url, version, createdAt, updatedAt } = row;
  return {
    id,
    name,
    description,
    algorithm,
    header: JSON.parse(row.header),
    claims: JSON.parse(row.claims),
    lifetimeSeconds,
    url,
    hasSecret: row.secretKeyId !== null,
    version,
    createdAt,
    updatedAt,
  };
}
