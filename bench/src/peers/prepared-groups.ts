import { type StoredTokenText, TokenVault } from "../../../src/domain/accounts/token-vault.js";
import { issueUserGroupToken } from "../../../src/domain/user-groups/token.js";
import type { PeerSettings, Tenant } from "./peer-process.js";
import { type Statements, TENANT } from "./tenant-queries.js";

/** The body of a get-or-create call. */
export interface GetBody {
  readonly user_group_id: string;
  readonly name: string;
  readonly properties?: object;
}

interface GroupRow extends StoredTokenText {
  readonly id: number;
  readonly provided_id: string;
  readonly name: string;
  readonly properties: unknown;
}

const COLUMNS = `id, provided_id, name, properties, token_key_id AS "keyId", encode(token_ciphertext || token_lookup, 'hex') AS hex`;
const FIND = {
  name: "find",
  text: `SELECT ${COLUMNS} FROM user_group WHERE ${TENANT} AND provided_id = $3`,
};
const INSERT = {
  name: "insert",
  text: `INSERT INTO user_group (account_id, environment, id, provided_id, name, properties,
      token_key_id, token_ciphertext, token_lookup)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) RETURNING ${COLUMNS}`,
};
const RENAME = {
  name: "rename",
  text: `UPDATE user_group SET name = $4, version = version + 1, updated_at = now()
    WHERE ${TENANT} AND provided_id = $3 RETURNING ${COLUMNS}`,
};
const ROTATE = {
  name: "rotate",
  text: `UPDATE user_group SET token_key_id = $4, token_ciphertext = $5, token_lookup = $6,
      version = version + 1, updated_at = now()
    WHERE ${TENANT} AND token_lookup = $3 RETURNING ${COLUMNS}`,
};
const DRAW_IDS = {
  name: "draw_ids",
  text: `SELECT setval('user_group_team_id', nextval('user_group_team_id') + $3) AS id
    WHERE $1::integer IS NOT NULL AND $2::text IS NOT NULL`,
};
/** IDs reserved at startup, so that no request waits for one. */
const IDS = 10_000_000;

/** User groups with as few prepared statements as possible; tokens are encrypted as in our service. */
export class PreparedGroups {
  readonly #vault: TokenVault;
  #lastId = 0;

  private constructor(
    private readonly statements: Statements,
    settings: PeerSettings,
  ) {
    this.#vault = new TokenVault([Buffer.from(settings.encryptionKey, "base64")]);
  }

  static async open(statements: Statements, settings: PeerSettings): Promise<PreparedGroups> {
    const groups = new PreparedGroups(statements, settings);
    if (settings.mode !== "insert") return groups;
    const tenant = { accountId: 0, environment: "Customer" } as const;
    const [row] = await statements.run<{ id: number }>(DRAW_IDS, tenant, [IDS]);
    groups.#lastId = (row?.id ?? 0) - IDS;
    return groups;
  }

  async find(tenant: Tenant, { user_group_id: providedId }: GetBody) {
    const [row] = await this.statements.run<GroupRow>(FIND, tenant, [providedId]);
    return row && this.#reply(tenant, row, false);
  }

  async insert(tenant: Tenant, body: GetBody) {
    this.#lastId += 1;
    const properties = body.properties ? JSON.stringify(body.properties) : null;
    const [row] = await this.statements.run<GroupRow>(INSERT, tenant, [
      ...[this.#lastId, body.user_group_id, body.name, properties],
      ...this.#newToken(tenant),
    ]);
    return row && this.#reply(tenant, row, true);
  }

  async rename(tenant: Tenant, { user_group_id: providedId, name }: GetBody) {
    const [row] = await this.statements.run<GroupRow>(RENAME, tenant, [providedId, name]);
    return row && this.#reply(tenant, row, false);
  }

  async rotate(tenant: Tenant, token: string) {
    const lookup = this.#vault.lookup(token, this.#vault.primaryKeyId);
    const [row] = await this.statements.run<GroupRow>(ROTATE, tenant, [lookup, ...this.#newToken(tenant)]);
    if (!row) return undefined;
    const { properties: _, ...view } = this.#view(tenant, row);
    return { success: 1, user_group: { ...view, api_environment_tag: tenant.environment } };
  }

  #newToken({ accountId }: Tenant): readonly [keyId: string, ciphertext: Buffer, lookup: Buffer] {
    const owner = { accountId, tokenKeyId: this.#vault.primaryKeyId };
    const { keyId, ciphertext, lookup } = this.#vault.encryptToken(issueUserGroupToken(accountId), owner);
    return [keyId, ciphertext, lookup];
  }

  #reply(tenant: Tenant, row: GroupRow, isNew: boolean) {
    return { success: 1, new_user_group: isNew, user_group: this.#view(tenant, row) };
  }

  #view({ accountId }: Tenant, { id, name, provided_id, properties, ...row }: GroupRow) {
    const token = this.#vault.decryptToken(row, { accountId });
    return { team_id: id, token, name, provided_id, properties };
  }
}
