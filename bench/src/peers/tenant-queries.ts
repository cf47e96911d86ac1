import { Pool } from "pg";
import { hashApiKey, parseApiKey } from "../../../src/domain/accounts/api-key.js";
import { findApiKey } from "../../../src/domain/authentication/authorization.js";
import { runInTransaction } from "../../../src/persistence/shared/pipelined-transaction.js";
import { beginWithin, IN_INDEX_ORDER } from "../../../src/persistence/shared/row-scope.js";
import { VALUE_PARSERS } from "../../../src/persistence/shared/value-parsers.js";
import { MAX_KEY_AGE_MS } from "../../../src/services/accounts/key-cache.js";
import { type PeerSettings, type Tenant, tenantOf } from "./peer-process.js";

/** A group with the fields of the peers' GraphQL schema. */
export interface Group {
  readonly teamId: number;
  readonly providedId: string;
  readonly name: string;
  readonly properties: unknown;
  readonly version: number;
}

export interface MappingEntry {
  readonly schemaId: string;
  readonly dataSource: { readonly dataSourceId: number; readonly providedId: string; readonly name: string };
}

interface MappingRow {
  readonly teamId: number;
  readonly schemaId: string;
  readonly dataSourceId: number;
  readonly providedId: string;
  readonly name: string;
}

interface Statement {
  readonly name: string;
  /** $1 is the account, $2 the environment. */
  readonly text: string;
  /** Within the row scope, reads sorted rows by an index, as ours: row-level security misleads the planner. */
  readonly isInIndexOrder?: true;
}

/** Runs statements for a tenant; each connection prepares them once. */
export class Statements {
  readonly #pool: Pool;

  private constructor(private readonly settings: PeerSettings) {
    const { connection, poolSize, hasRowScope } = settings;
    this.#pool = new Pool({ ...connection, max: poolSize, types: VALUE_PARSERS, pipeline: hasRowScope });
  }

  /** @throws Error when a peer with a row scope can see rows without it */
  static async open(settings: PeerSettings): Promise<Statements> {
    const statements = new Statements(settings);
    if (settings.hasRowScope) {
      const { rowCount } = await statements.#pool.query("SELECT FROM user_group LIMIT 1");
      if (rowCount !== 0)
        throw new Error(
          "A statement without a row scope returns a group: row-level security is not in force.",
        );
    }
    return statements;
  }

  async run<Row extends object>(
    { name, text, isInIndexOrder }: Statement,
    tenant: Tenant,
    values: readonly unknown[],
  ) {
    const query = { name, text, values: [tenant.accountId, tenant.environment, ...values] };
    if (!this.settings.hasRowScope) return (await this.#pool.query<Row>(query)).rows;
    const begin = beginWithin(tenant, "read");
    const client = await this.#pool.connect();
    try {
      return await runInTransaction<Row>(
        client,
        isInIndexOrder ? `${begin}; ${IN_INDEX_ORDER}` : begin,
        query,
      );
    } finally {
      client.release();
    }
  }
}

const COLUMNS = `id AS "teamId", provided_id AS "providedId", name, properties, version`;
export const TENANT = "account_id = $1 AND environment = $2";

const KEY = {
  name: "api_key_by_hash",
  text: `SELECT FROM api_key WHERE ${TENANT} AND hash = $3
    AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now())`,
};
const BY_PROVIDED_ID = {
  name: "group_by_provided_id",
  text: `SELECT ${COLUMNS} FROM user_group WHERE ${TENANT} AND provided_id = $3`,
};
const BY_TOKEN = {
  name: "group_by_token",
  text: `SELECT ${COLUMNS} FROM user_group WHERE ${TENANT} AND token_lookup = $3`,
};
const PAGE = {
  name: "groups_after",
  text: `SELECT ${COLUMNS} FROM user_group WHERE ${TENANT} AND id > $3 ORDER BY id LIMIT $4`,
  isInIndexOrder: true,
} as const;
const MAPPINGS = {
  name: "mappings",
  text: `SELECT user_group_id AS "teamId", schema_id AS "schemaId", data_source.id AS "dataSourceId",
      data_source.provided_id AS "providedId", data_source.name
    FROM mapping_entry JOIN data_source
      ON data_source.account_id = mapping_entry.account_id AND data_source.environment = mapping_entry.environment
        AND data_source.id = mapping_entry.data_source_id
    WHERE mapping_entry.account_id = $1 AND mapping_entry.environment = $2 AND user_group_id = ANY ($3::bigint[])
    ORDER BY user_group_id, schema_id`,
};

/** Finds the tenants of API keys: with a row scope in the database, cached for as long as ours, and otherwise in memory. */
export class ApiKeys {
  readonly #cached = new Map<
    string,
    { readonly tenant: Promise<Tenant | undefined>; readonly readAt: number }
  >();

  constructor(
    private readonly settings: PeerSettings,
    private readonly statements: Statements,
  ) {}

  async find(authorization = ""): Promise<Tenant | undefined> {
    if (!this.settings.hasRowScope) return tenantOf(this.settings, authorization);
    const secret = findApiKey(authorization);
    if (secret === undefined) return undefined;
    const now = performance.now();
    const cached = this.#cached.get(secret);
    if (cached && now < cached.readAt + MAX_KEY_AGE_MS) return cached.tenant;
    const tenant = this.#read(secret);
    this.#cached.set(secret, { tenant, readAt: now });
    return tenant;
  }

  async #read(secret: string): Promise<Tenant | undefined> {
    const tenant = parseApiKey(secret);
    if (!tenant) return undefined;
    const found = await this.statements.run(KEY, tenant, [hashApiKey(secret)]);
    return found.length > 0 ? tenant : undefined;
  }
}

/** Hand-tuned statements. */
export class TenantQueries {
  constructor(private readonly statements: Statements) {}

  async findByProvidedId(tenant: Tenant, providedId: string): Promise<Group | null> {
    return (await this.statements.run<Group>(BY_PROVIDED_ID, tenant, [providedId]))[0] ?? null;
  }

  async findByToken(tenant: Tenant, lookup: Buffer): Promise<Group | null> {
    return (await this.statements.run<Group>(BY_TOKEN, tenant, [lookup]))[0] ?? null;
  }

  /** Returns groups in order of ID. */
  async findAfter(tenant: Tenant, id: number, limit: number): Promise<readonly Group[]> {
    return this.statements.run<Group>(PAGE, tenant, [id, limit]);
  }

  /** Returns the mapping of each group, in order, with data sources, in one statement. */
  async findMappings(tenant: Tenant, ids: readonly number[]): Promise<MappingEntry[][]> {
    const mappings = new Map(ids.map((id): [number, MappingEntry[]] => [id, []]));
    const rows = await this.statements.run<MappingRow>(MAPPINGS, tenant, [ids]);
    for (const { teamId, schemaId, ...dataSource } of rows)
      mappings.get(teamId)?.push({ schemaId, dataSource });
    return ids.map((id) => mappings.get(id) ?? []);
  }
}
