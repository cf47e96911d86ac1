import type { Writer } from "../../domain/accounts/caller.js";
import type { TokenVault } from "../../domain/accounts/token-vault.js";
import { DomainError } from "../../domain/shared/errors.js";
import { issueUserGroupToken } from "../../domain/user-groups/token.js";
import type { NewUserGroup, UserGroup } from "../../domain/user-groups/user-group.js";
import type { Database } from "../../persistence/database/database.js";
import { insertUserGroups } from "../../persistence/user-groups/bulk-writes.js";
import type { UserGroupIds } from "../../persistence/user-groups/ids.js";
import { insertMappings } from "../../persistence/user-groups/mapping-bulk-writes.js";
import type { NewUserGroupRow } from "../../persistence/user-groups/writes.js";
import { type Batching, BatchLoader } from "../shared/batch-loader.js";
import { apiKeyBatchKey, batchWriter } from "../shared/batched-writes.js";
import type { ChangeFeed } from "./change-feed.js";
import { resolveMapping } from "./mapping-resolution.js";

interface Creation {
  readonly row: NewUserGroupRow;
  readonly requestId: string | null;
}

export interface UserGroupCreationDependencies {
  readonly db: Database;
  readonly ids: UserGroupIds;
  readonly vault: TokenVault;
  readonly changes: ChangeFeed;
  readonly batching: Batching;
}

/** Inserts groups. Concurrent inserts without a mapping are batched per API key. */
export class UserGroupCreations {
  readonly #db: Database;
  readonly #ids: UserGroupIds;
  readonly #vault: TokenVault;
  readonly #changes: ChangeFeed;
  readonly #inserts: BatchLoader<Creation, UserGroup | null, Writer>;

  constructor({ db, ids, vault, changes, batching }: UserGroupCreationDependencies) {
    this.#db = db;
    this.#ids = ids;
    this.#vault = vault;
    this.#changes = changes;
    const insert = async (writer: Writer, creations: readonly Creation[]) => {
      const rows = creations.map(({ row }) => row);
      const requests = creations.map(({ row, requestId }) => [String(row.id), requestId] as const);
      const inserted = await insertUserGroups(db.for(batchWriter(writer, requests)), rows);
      const byId = new Map(inserted.map((group) => [group.id, group]));
      return rows.map(({ id }) => byId.get(id) ?? null);
    };
    // One statement at a time: each commit waits for the disk, and larger batches share that wait.
    this.#inserts = new BatchLoader("user_group_creations", insert, batching, {
      batchKey: apiKeyBatchKey,
      maxInFlight: 1,
    });
  }

  /**
   * Inserts a group with its mapping.
   * @returns null if its external ID is taken
   * @throws DomainError `unknown_data_source`; nothing is inserted
   */
  async insert(writer: Writer, providedId: string, group: NewUserGroup): Promise<UserGroup | null> {
    const id = await this.#ids.take(writer.transaction && this.#db.for(writer));
    const row = {
      id,
      providedId,
      name: group.name,
      properties: group.properties,
      token: this.#vault.encryptToken(issueUserGroupToken(writer.accountId), writer),
    };
    try {
      const inserted =
        group.mapping.length === 0
          ? await this.#inserts.load(writer, { row, requestId: writer.actor.requestId })
          : await this.#insertMapped(writer, row, group.mapping);
      if (inserted) this.#changes.publish(writer, id, "created");
      else this.#ids.release(id);
      return inserted;
    } catch (error) {
      // Reuse the ID only after a rejection: after a connection error, the insert may have been committed.
      if (error instanceof DomainError && error.code === "unknown_data_source") this.#ids.release(id);
      throw error;
    }
  }

  async #insertMapped(
    writer: Writer,
    row: NewUserGroupRow,
    mapping: NewUserGroup["mapping"],
  ): Promise<UserGroup | null> {
    return this.#db.for(writer).transaction(async (transaction) => {
      const entries = await resolveMapping(transaction, mapping);
      const [created = null] = await insertUserGroups(transaction, [row]);
      const rows = entries.map((entry) => ({ ...entry, userGroupId: row.id }));
      if (created) await insertMappings(transaction, rows);
      return created;
    });
  }
}
