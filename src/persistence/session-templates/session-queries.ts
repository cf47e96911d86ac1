import type { SessionTemplateFields } from "../../domain/session-templates/template.js";
import type { UserGroup } from "../../domain/user-groups/user-group.js";
import type { Statement } from "../shared/statement.js";
import type { TenantDb } from "../shared/tenant-db.js";
import {
  REF_CONDITIONS,
  readUserGroup,
  refValue,
  type StoredRef,
  statementsByRef,
  USER_GROUP_COLUMNS,
  type UserGroupRow,
  valuesAfterGroup,
} from "../user-groups/row.js";
import type { SessionTemplateEntity, StoredSecret } from "./templates.js";

// Raw SQL: a token is made of one state of template, secret, group and mapping, so one statement reads them.

const BY_REF = statementsByRef((by) => ({
  name: `template_session_by_${by}`,
  isLookup: true,
  access: "read",
  rows: "text",
  text: `SELECT ${USER_GROUP_COLUMNS},
      (SELECT row_to_json(template) FROM (
        SELECT name, algorithm, header, claims, lifetime_seconds AS "lifetimeSeconds", url,
          secret_key_id AS "secretKeyId", encode(secret_ciphertext, 'hex') AS "secretCiphertext", encode(secret_lookup, 'hex') AS "secretLookup"
        FROM session_template WHERE account_id = $1 AND environment = $2 AND name = $4) AS template),
      (SELECT json_object_agg(schema_id, data_source.provided_id) FROM mapping_entry
        JOIN data_source ON data_source.account_id = $1 AND data_source.environment = $2 AND data_source.id = data_source_id
        WHERE mapping_entry.account_id = $1 AND mapping_entry.environment = $2 AND user_group_id = user_group.id)
    FROM user_group WHERE account_id = $1 AND environment = $2 AND ${REF_CONDITIONS[by]}`,
})) satisfies Readonly<Record<string, Statement>>;

/** What a session is made of. */
export interface SessionSource {
  readonly userGroup: UserGroup;
  /** The external IDs of the group's data sources, by schema ID. */
  readonly mapping: ReadonlyMap<string, string>;
  /** Null if there is none with this name. */
  readonly template: StoredTemplate | null;
}

/** The template of a session, with its encrypted secret. */
export type StoredTemplate = Omit<SessionTemplateFields, "description"> & StoredSecret;

/** Reads a group, its mapping and a template. @returns null if the group does not exist */
export async function findSessionSource(
  db: TenantDb,
  ref: StoredRef,
  template: string,
): Promise<SessionSource | null> {
  const [row] = await db.run<UserGroupRow<[template: string | null, mapping: string | null]>>(
    BY_REF[ref.by],
    [refValue(ref), template],
  );
  if (!row) return null;
  const [found, mapping] = valuesAfterGroup(row);
  return {
    userGroup: readUserGroup(db, row),
    mapping: new Map(Object.entries(JSON.parse(mapping ?? "{}"))),
    template: found === null ? null : readTemplate(JSON.parse(found)),
  };
}

function readTemplate({
  header,
  claims,
  secretCiphertext,
  secretLookup,
  ...row
}: Omit<SessionTemplateEntity, "secretCiphertext" | "secretLookup"> & {
  readonly secretCiphertext: string | null;
  readonly secretLookup: string | null;
}): StoredTemplate {
  const toBytes = (hex: string | null) => (hex === null ? null : Buffer.from(hex, "hex"));
  return {
    ...row,
    header: JSON.parse(header),
    claims: JSON.parse(claims),
    secretCiphertext: toBytes(secretCiphertext),
    secretLookup: toBytes(secretLookup),
  };
}
