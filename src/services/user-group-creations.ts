import type { Writer } from "../domain/caller.js";
import type { UserGroup } from "../domain/user-group.js";
import type { Database } from "../persistence/database.js";
import { insertUserGroups } from "../persistence/user-group-bulk-writes.js";
import type { NewUserGroupRow } from "../persistence/user-group-writes.js";
import { Collector } from "./collector.js";

interface Creation {
  readonly row: NewUserGroupRow;
  readonly requestId: string | null;
}

/** Inserts groups without a mapping: those that requests with one API key create at the same time, with one statement. */
export class UserGroupCreations {
  readonly #collector: Collector<Creation, UserGroup | null, Writer>;

  /** @param collect whether anything is collected */
  constructor(db: Database, collect: boolean) {
    const insert = async (writer: Writer, creations: readonly Creation[]) => {
      const rows = creations.map(({ row }) => row);
      const requestIds = Object.fromEntries(creations.map(({ row, requestId }) => [row.id, requestId]));
      const scope = { ...writer, actor: { ...writer.actor, requestIds } };
      const inserted = await insertUserGroups(db.of(scope), writer, rows);
      const byId = new Map(inserted.map((group) => [group.id, group]));
      return rows.map(({ id }) => byId.get(id) ?? null);
    };
    this.#collector = new Collector(insert, collect, ({ keyId }) => String(keyId));
  }

  /** Inserts a group unless its provided id is taken. @returns null when it is */
  async insert(writer: Writer, row: NewUserGroupRow): Promise<UserGroup | null> {
    const { requestId } = writer.actor;
    const [group = null] = await this.#collector.load(writer, [{ row, requestId }]);
    return group;
  }
}
