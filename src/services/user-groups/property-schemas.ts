import { LRUCache } from "lru-cache";
import type { Admin, Tenant, TenantKey } from "../../domain/accounts/caller.js";
import { DomainError, type FieldError, type FieldPath, invalidField } from "../../domain/shared/errors.js";
import { requireVersion } from "../../domain/shared/expected-version.js";
import type { PageRequest, Position } from "../../domain/shared/pagination.js";
import { USER_GROUP_ORDER } from "../../domain/user-groups/list.js";
import { MAX_SEARCHED_BYTES, type Properties } from "../../domain/user-groups/properties.js";
import { findInvalidProperties, type PropertyRule } from "../../domain/user-groups/property-rules.js";
import { parsePropertySchema, type SchemaMode } from "../../domain/user-groups/property-schema.js";
import type { UserGroup } from "../../domain/user-groups/user-group.js";
import type { Database } from "../../persistence/database/database.js";
import { violates } from "../../persistence/shared/database-error.js";
import type { TenantDb } from "../../persistence/shared/tenant-db.js";
import { listUserGroups } from "../../persistence/user-groups/list-queries.js";
import {
  countOldConnections,
  findPropertySchema,
  lockPropertySchema,
  type PropertySchemaEntity,
  savePropertySchema,
} from "../../persistence/user-groups/property-schemas.js";
import { countOnly } from "../../telemetry/telemetry.js";
import { type Batching, BatchLoader } from "../shared/batch-loader.js";

/** Checked forms that a process keeps: an environment has one, of at most some 100 KiB. */
const MAX_CACHED = 500;
/** Groups that a search for invalid properties reads at most, in pages. */
export const MAX_CHECKED = 5000;
const PAGE_SIZE = 100;
/** Maximum errors per group that are listed. */
const MAX_ERRORS = 10;
const RETRY_AFTER_SECONDS = 60;
const PRIMARY_KEY = "property_schema_pk";

/** The schema for properties of an environment. */
export interface PropertySchema {
  /** JSON text; null if there is none. */
  readonly text: string | null;
  readonly root: PropertyRule;
  readonly mode: SchemaMode;
  /** Incremented by each change; 0 before the first one. */
  readonly version: number;
  readonly updatedAt: Date | null;
  /** JSON text of the defaults of top-level properties; null if there are none, or the mode is `OFF`. */
  readonly defaults: string | null;
}

const NO_SCHEMA: PropertySchema = {
  text: null,
  root: {},
  mode: "OFF",
  version: 0,
  updatedAt: null,
  defaults: null,
};

/** A group whose properties violate the schema. */
export interface PropertyFinding {
  readonly userGroup: UserGroup;
  /** The first errors, by path within the properties. */
  readonly errors: readonly FieldError[];
}

/** Invalid groups among those that were checked. */
export interface PropertyFindings {
  readonly items: readonly PropertyFinding[];
  readonly checked: number;
  /** The position of the last group that was checked, if there are more; otherwise null. */
  readonly next: Position | null;
}

/** The maximum number of invalid groups to list, and the position after which the search continues. */
type SearchPage = Pick<PageRequest, "size" | "after">;

/**
 * Checks properties that are written.
 * @param field path of the properties in the request
 * @param former those of the group; undefined for a new one. Members that are equal are not checked
 * @throws DomainError `invalid_field` with every invalid path, if the schema is enforced
 */
export type PropertyCheck = (field: FieldPath, next: Properties, former: Properties | undefined) => void;

/** The change of an environment's schema. */
export interface SchemaChange {
  /** Absent if it stays; null removes it. */
  readonly schema?: unknown;
  readonly mode: SchemaMode;
  readonly expectedVersion: number | undefined;
  readonly isDryRun: boolean;
}

/** Manages the schema for properties of each environment, and checks properties against it (decision 61). */
export class PropertySchemas {
  readonly #cache = new LRUCache<string, PropertySchema>({ max: MAX_CACHED });
  /** Versions that open transactions of requests have written: if one is rolled back, another schema may get its version. */
  readonly #uncommitted = new Map<string, number>();
  readonly #reads: BatchLoader<null, PropertySchema>;

  constructor(
    private readonly db: Database,
    private readonly batching: Batching = { isOn: false, telemetry: countOnly() },
  ) {
    const read = async (tenant: Tenant, calls: readonly null[]) => {
      const schema = await this.#read(db.for(tenant));
      return calls.map(() => schema);
    };
    this.#reads = new BatchLoader("property_schema", read, batching);
  }

  /** Reads the schema, in the tenant's open transaction if it has one. */
  async find(tenant: Tenant): Promise<PropertySchema> {
    return this.#reads.load(tenant, null);
  }

  /** Returns the first errors of stored properties, by path within them; none while the mode is `OFF`. */
  async errorsOf(tenant: Tenant, properties: Properties): Promise<readonly FieldError[]> {
    const { root, mode } = await this.find(tenant);
    return mode === "OFF" ? [] : findInvalidProperties(root, properties, { max: MAX_ERRORS });
  }

  /**
   * Returns the version of the schema under which properties are valid, as far as this process knows; undefined if they are not. The statement
   * that writes them must find that version (`schemaIs`).
   */
  versionFor(tenant: TenantKey, properties: Properties): number | undefined {
    const { root, mode, version } = this.#cache.get(keyOf(tenant)) ?? NO_SCHEMA;
    const isValid = mode === "OFF" || findInvalidProperties(root, properties, { max: 1 }).length === 0;
    return isValid ? version : undefined;
  }

  /** Returns the check of properties that a transaction writes. */
  async check(transaction: TenantDb): Promise<PropertyCheck> {
    const { root, mode } = await this.#read(transaction);
    return (field, next, former) => {
      const findings = mode === "OFF" ? [] : findInvalidProperties(root, next, { former });
      const [first] = findings;
      if (!first) return;
      if (mode === "WARN") return this.#countInvalid();
      const fields = findings.map((each) => ({ field: [...field, ...each.field], message: each.message }));
      throw new DomainError("invalid_field", first.message, { field: [...field, ...first.field], fields });
    };
  }

  /** Counts a new group that is stored even if it is invalid. Never fails: its caller waits for a page. */
  async countCreated(tenant: Tenant, properties: Properties): Promise<void> {
    const { root, mode } = await this.find(tenant).catch(() => NO_SCHEMA);
    if (mode !== "OFF" && findInvalidProperties(root, properties, { max: 1 }).length > 0)
      this.#countInvalid();
  }

  /**
   * Changes the schema, or returns what would change.
   * @throws DomainError `invalid_field`; `version_conflict`; `unavailable` for `ENFORCE` while processes are connected that do not check
   */
  async set(
    admin: Admin,
    { schema: sent, mode, expectedVersion, isDryRun }: SchemaChange,
  ): Promise<{ readonly schema: PropertySchema; readonly findings: PropertyFindings | null }> {
    const parsed = sent === undefined || sent === null ? sent : parsePropertySchema(sent, ["schema"]);
    const save = this.db.for(admin).transaction(async (transaction) => {
      const former = await lockPropertySchema(transaction);
      requireVersion("schema for properties", (former ?? NO_SCHEMA).version, expectedVersion);
      const text = parsed === undefined ? (former?.schema ?? null) : (parsed?.text ?? null);
      if (text === null && mode !== "OFF") throw invalidField(["mode"], "must be OFF without a schema");
      if (mode === "ENFORCE" && former?.mode !== "ENFORCE") await this.#requireNewProcesses(transaction);
      const saved = isDryRun ? former : await savePropertySchema(transaction, former, { schema: text, mode });
      return { saved, text };
    });
    const { saved, text } = await save.catch((error: unknown) => {
      throw violates(error, PRIMARY_KEY) ? createdMeanwhile() : error;
    });
    const settle = () => this.#uncommitted.delete(keyOf(admin));
    if (!isDryRun && !admin.transaction) settle();
    if (!isDryRun && admin.transaction && saved) {
      this.#uncommitted.set(keyOf(admin), saved.version);
      admin.transaction.afterCommit(settle);
    }
    const schema = this.#remember(admin, saved, isDryRun ? undefined : parsed?.root);
    if (text === null || !(isDryRun || mode !== "OFF")) return { schema, findings: null };
    const all = { size: Number.POSITIVE_INFINITY, after: null };
    return { schema, findings: await this.#search(admin, parsed?.root ?? schema.root, all) };
  }

  /**
   * Lists groups whose properties violate the schema, in the order of their IDs. Reads a bounded part of the groups.
   * @throws DomainError `unavailable` when the database is unreachable
   */
  async findings(tenant: Tenant, page: SearchPage): Promise<PropertyFindings> {
    const { root, text } = await this.find(tenant);
    return text === null ? { items: [], checked: 0, next: null } : this.#search(tenant, root, page);
  }

  async #search(tenant: Tenant, root: PropertyRule, { size, after }: SearchPage): Promise<PropertyFindings> {
    const items: PropertyFinding[] = [];
    let [checked, bytes] = [0, 0];
    let position = after;
    while (checked < MAX_CHECKED && bytes < MAX_SEARCHED_BYTES) {
      const page = { size: PAGE_SIZE, from: "start", after: position, before: null } as const;
      const found = await listUserGroups(this.db.for(tenant), {}, USER_GROUP_ORDER.default, page);
      for (const [index, userGroup] of found.items.entries()) {
        checked += 1;
        bytes += Buffer.byteLength(userGroup.properties ?? "");
        position = { value: userGroup.id, id: userGroup.id };
        const errors = findInvalidProperties(root, userGroup.properties, { max: MAX_ERRORS });
        if (errors.length === 0) continue;
        items.push({ userGroup, errors });
        const isLast = !found.hasMore && index === found.items.length - 1;
        if (items.length === size) return { items, checked, next: isLast ? null : position };
      }
      if (!found.hasMore) return { items, checked, next: null };
    }
    return { items, checked, next: position };
  }

  /** Counts a group that was written with invalid properties. */
  #countInvalid(): void {
    this.batching.telemetry.metrics.invalidProperties.inc();
  }

  /** Without a second connection, which might wait for that of the transaction. */
  async #requireNewProcesses({ raw }: TenantDb): Promise<void> {
    const count = await countOldConnections(raw);
    if (count === 0) return;
    throw new DomainError(
      "unavailable",
      `Processes of a version that does not check properties are connected to the database (connections: ${count}). Stop them first.`,
      { retryAfter: RETRY_AFTER_SECONDS },
    );
  }

  async #read(db: TenantDb): Promise<PropertySchema> {
    return this.#remember(db, await findPropertySchema(db));
  }

  /** Returns a stored schema with its checked form, which is parsed once per version, unless it is `parsed`. */
  #remember(tenant: TenantKey, stored: PropertySchemaEntity | null, parsed?: PropertyRule): PropertySchema {
    if (!stored) return NO_SCHEMA;
    const key = keyOf(tenant);
    const known = this.#cache.get(key);
    if (known?.version === stored.version) return known;
    const { schema: text, mode, version, updatedAt } = stored;
    const root = parsed ?? (text === null ? {} : parsePropertySchema(JSON.parse(text), ["schema"]).root);
    const defaults = mode === "OFF" ? null : defaultsOf(root);
    const schema = { text, root, mode, version, updatedAt, defaults };
    // A statement with an older snapshot may end later.
    const isNewer = !known || known.version < version;
    if (isNewer && this.#uncommitted.get(key) !== version) this.#cache.set(key, schema);
    return schema;
  }
}

function defaultsOf({ properties = new Map() }: PropertyRule): string | null {
  const defaults = [...properties].flatMap(([name, { default: value }]) =>
    value === undefined ? [] : [[name, value] as const],
  );
  return defaults.length === 0 ? null : JSON.stringify(Object.fromEntries(defaults));
}

function keyOf({ accountId, environment }: TenantKey): string {
  return `${accountId}/${environment}`;
}

function createdMeanwhile(): DomainError {
  const message = "The schema for properties was created by another request. Read it again.";
  return new DomainError("version_conflict", message, { field: ["expectedVersion"] });
}
