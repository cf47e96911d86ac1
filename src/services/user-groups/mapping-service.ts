import type { Writer } from "../../domain/accounts/caller.js";
import type { TokenVault } from "../../domain/accounts/token-vault.js";
import { type MappingReference, requireEntryLimit } from "../../domain/user-groups/mapping.js";
import type { UserGroup, UserGroupRef } from "../../domain/user-groups/user-group.js";
import type { Database } from "../../persistence/database/database.js";
import type { TenantDb } from "../../persistence/shared/tenant-db.js";
import { putMappings } from "../../persistence/user-groups/mapping-bulk-writes.js";
import { countMappingEntries, removeMappingEntry } from "../../persistence/user-groups/mapping-queries.js";
import { lockUserGroup, updateUserGroup } from "../../persistence/user-groups/writes.js";
import type { ChangeFeed } from "./change-feed.js";
import { requireUserGroup, storedRef } from "./lookup.js";
import { resolveMapping } from "./mapping-resolution.js";

/** Changes single entries of a group's mapping. `UserGroupService.update` replaces the whole mapping. */
export class MappingService {
  readonly #db: Database;
  readonly #vault: TokenVault;
  readonly #changes: ChangeFeed;

  constructor(db: Database, vault: TokenVault, changes: ChangeFeed) {
    this.#db = db;
    this.#vault = vault;
    this.#changes = changes;
  }

  /**
   * Maps a schema to a data source, replacing any existing entry; a repeated call changes nothing.
   * @throws DomainError `user_group_not_found`, `unknown_data_source`, `invalid_field` if the mapping is full
   */
  async set(writer: Writer, ref: UserGroupRef, reference: MappingReference): Promise<UserGroup> {
    return this.#change(writer, ref, async (transaction, group) => {
      const entries = await resolveMapping(transaction, [reference]);
      const rows = entries.map((entry) => ({ ...entry, userGroupId: group.id }));
      const { size } = await putMappings(transaction, rows);
      if (size > 0) requireEntryLimit(await countMappingEntries(transaction, group.id), ["mapping"]);
      return size > 0;
    });
  }

  /**
   * Removes a schema from the mapping; does nothing if it is not mapped.
   * @throws DomainError `user_group_not_found`
   */
  async remove(writer: Writer, ref: UserGroupRef, schemaId: string): Promise<UserGroup> {
    return this.#change(writer, ref, (transaction, group) =>
      removeMappingEntry(transaction, group.id, schemaId),
    );
  }

  async #change(
    writer: Writer,
    ref: UserGroupRef,
    work: (transaction: TenantDb, group: UserGroup) => Promise<boolean>,
  ): Promise<UserGroup> {
    const stored = storedRef(this.#vault, ref);
    const { userGroup, changed } = await this.#db.for(writer).transaction(async (transaction) => {
      const found = requireUserGroup(await lockUserGroup(transaction, stored), ref);
      if (!(await work(transaction, found))) return { userGroup: found, changed: false };
      const byId = { by: "id", id: found.id } as const;
      return requireUserGroup(await updateUserGroup(transaction, byId, { mappingChanged: true }), ref);
    });
    if (changed) this.#changes.publish(writer, userGroup.id, "updated");
    return userGroup;
  }
}
