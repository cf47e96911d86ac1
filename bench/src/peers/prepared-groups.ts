import { Pool } from "pg";
import { type StoredTokenText, TokenVault } from "../../../src/domain/accounts/token-vault.js";
import { issueUserGroupToken } from "../../../src/domain/user-groups/token.js";
import type { PeerSettings, Tenant } from "./peer-process.js";

/** A group as the replies of REST have it. */
export interface GroupView {
  readonly team_id: number;
  readonly token: string;
  readonly name: string;
  readonly provided_id: string;
  readonly properties: unknown;
}

interface GroupRow extends StoredTokenText {
  readonly id: number;
  readonly provided_id: string;
  readonly name: string;
  readonly properties: unknown;
}

const COLUMNS = `id, provided_id, name, properties, token_key_id AS "keyId", encode(token_ciphertext || token_lookup, 'hex') AS hex`;
const TENANT = "account_id = $1 AND environment = $2";
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
const ROTATE = {
  name: "rotate",
  text: `UPDATE user_group SET token_key_id = $4, token_ciphertext = $5, token_lookup = $6,
      version = version + 1, updated_at = now()
    WHERE ${TENANT} AND token_lookup = $3 RETURNING ${COLUMNS}`,
};
/** So many ids are drawn at the start that no request has to wait for one. */
const IDS = 10_000_000;

/** User groups by prepared statements, one after the other, as few as can be; tokens are sealed as our service does it. */
export class PreparedGroups {
  readonly #pool: Pool;
  readonly #vault: TokenVault;
  #lastId: number;

  private constructor(pool: Pool, vault: TokenVault, lastId: number) {
    this.#pool = pool;
    this.#vault = vault;
    this.#lastId = lastId;
  }

  static async open({ connection, poolSize, encryptionKey }: PeerSettings): Promise<PreparedGroups> {
    const pool = new Pool({ ...connection, max: poolSize });
    const ids = await pool.query<{ id: number }>(
      "SELECT setval('user_group_team_id', nextval('user_group_team_id') + $1)::integer AS id",
      [IDS],
    );
    const vault = new TokenVault([Buffer.from(encryptionKey, "base64")]);
    return new PreparedGroups(pool, vault, (ids.rows[0]?.id ?? 0) - IDS);
  }

  async find({ accountId, environment }: Tenant, providedId: string) {
    const row = await this.#one(FIND, [accountId, environment, providedId]);
    return row && { ...this.#view(accountId, row), created: false };
  }

  async insert(
    { accountId, environment }: Tenant,
    body: { readonly user_group_id: string; readonly name: string; readonly properties?: object },
  ) {
    this.#lastId += 1;
    const row = await this.#one(INSERT, [
      accountId,
      environment,
      this.#lastId,
      body.user_group_id,
      body.name,
      body.properties ? JSON.stringify(body.properties) : null,
      ...this.#newToken(accountId),
    ]);
    if (!row) throw new Error("Nothing was inserted.");
    return { ...this.#view(accountId, row), created: true };
  }

  async rotate({ accountId, environment }: Tenant, token: string): Promise<GroupView | null> {
    const lookup = this.#vault.lookup(token, this.#vault.primaryKeyId);
    const row = await this.#one(ROTATE, [accountId, environment, lookup, ...this.#newToken(accountId)]);
    return row && this.#view(accountId, row);
  }

  #newToken(accountId: number): readonly [keyId: string, ciphertext: Buffer, lookup: Buffer] {
    const owner = { accountId, tokenKeyId: this.#vault.primaryKeyId };
    const { keyId, ciphertext, lookup } = this.#vault.encryptToken(issueUserGroupToken(accountId), owner);
    return [keyId, ciphertext, lookup];
  }

  #view(accountId: number, row: GroupRow): GroupView {
    return {
      team_id: row.id,
      token: this.#vault.decryptToken(row, { accountId, id: row.id }),
      name: row.name,
      provided_id: row.provided_id,
      properties: row.properties,
    };
  }

  async #one(
    statement: { readonly name: string; readonly text: string },
    values: readonly unknown[],
  ): Promise<GroupRow | null> {
    const { rows } = await this.#pool.query<GroupRow>({ ...statement, values: [...values] });
    return rows[0] ?? null;
  }
}
