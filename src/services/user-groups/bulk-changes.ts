import { limitedName, type Tenant, type Writer } from "../../domain/accounts/caller.js";
import type { TokenVault } from "../../domain/accounts/token-vault.js";
import { DomainError } from "../../domain/shared/errors.js";
import type { BulkChange } from "../../domain/user-groups/bulk-change.js";
import type { Database } from "../../persistence/database/database.js";
import type { TenantDb } from "../../persistence/shared/tenant-db.js";
import {
  addChangedGroups,
  BULK_CHANGE_LIST,
  claimBulkChange,
  findBulkChange,
  setBulkChange,
} from "../../persistence/user-groups/bulk-changes.js";
import { StoredList } from "../shared/item-list.js";

/** A call that is part of a bulk change. */
export interface BulkCall extends Pick<BulkChange, "changeId" | "undoOf" | "changed"> {
  /** The filter and the patch: all calls must have the same. */
  readonly content: readonly unknown[];
}

/** Records which bulk change the changes of user groups belong to. */
export class BulkChanges {
  readonly list;

  constructor(
    private readonly db: Database,
    private readonly vault: TokenVault,
  ) {
    this.list = new StoredList(db, BULK_CHANGE_LIST);
  }

  async find(tenant: Tenant, changeId: string): Promise<BulkChange | null> {
    return findBulkChange(this.db.for(tenant), changeId);
  }

  /**
   * Changes groups as part of a bulk change, which the first call creates.
   * @param change returns the IDs of the groups that it has changed
   * @throws DomainError `bulk_change_mismatch` if the first call had another author or content; errors of `change`
   */
  async include(
    transaction: TenantDb,
    writer: Writer,
    { changeId, undoOf, changed, content }: BulkCall,
    change: () => Promise<readonly number[]>,
  ): Promise<void> {
    const text = JSON.stringify([limitedName(writer), undoOf, ...content]);
    const fields = { changeId, undoOf, changed: [...changed], authorName: writer.actor.name };
    const fingerprint = this.vault.lookup(text, writer.tokenKeyId);
    const claimed = await claimBulkChange(transaction, { ...fields, fingerprint });
    // Of each key: the primary key may have been replaced since the first call.
    if (!this.vault.lookups(text).some((each) => each.equals(claimed.fingerprint))) throw mismatch();
    await setBulkChange(transaction, changeId);
    const ids = await change();
    await setBulkChange(transaction, null);
    await addChangedGroups(transaction, changeId, ids);
  }
}

function mismatch(): DomainError {
  const message =
    "This ID is that of a bulk change of another author, filter or patch. Choose a new UUID for each bulk change.";
  return new DomainError("bulk_change_mismatch", message, { field: ["bulkChangeId"] });
}
