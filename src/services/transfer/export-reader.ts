import type { Tenant } from "../../domain/accounts/caller.js";
import type { TokenVault } from "../../domain/accounts/token-vault.js";
import type { DataSource } from "../../domain/data-sources/data-source.js";
import { MAX_REPLY_ITEMS, type Page, type PageRequest } from "../../domain/shared/pagination.js";
import { MAX_MAPPING_ENTRIES, type MappedDataSource } from "../../domain/user-groups/mapping.js";
import type { UserGroup } from "../../domain/user-groups/user-group.js";
import { DATA_SOURCE_LIST } from "../../persistence/data-sources/queries.js";
import type { Database } from "../../persistence/database/database.js";
import { listAllUserGroups } from "../../persistence/user-groups/list-queries.js";
import { findMappings } from "../../persistence/user-groups/mapping-queries.js";

/** Rows per statement: even groups with the largest mappings have no more entries than a statement returns. */
const PAGE_SIZE = MAX_REPLY_ITEMS / MAX_MAPPING_ENTRIES;
const ORDER = { field: "providedId", direction: "ascending" } as const;

export interface ExportedGroup {
  readonly group: UserGroup;
  readonly mapping: readonly MappedDataSource[];
}

/**
 * Reads all data of a tenant page by page, ordered by external ID. Not a snapshot: concurrent changes may be included or not, and a
 * group's mapping may be newer than its other fields.
 */
export class ExportReader {
  constructor(
    private readonly db: Database,
    private readonly vault: TokenVault,
  ) {}

  async *dataSources(tenant: Tenant): AsyncGenerator<readonly DataSource[]> {
    yield* pagesOf((page) => DATA_SOURCE_LIST.page(this.db.for(tenant), {}, ORDER, page));
  }

  async *groups(tenant: Tenant): AsyncGenerator<readonly ExportedGroup[]> {
    const db = this.db.for(tenant);
    const read = async (page: PageRequest) => {
      const [found] = await listAllUserGroups(db, ORDER, [page]);
      return found ?? { items: [], hasMore: false };
    };
    for await (const groups of pagesOf(read)) {
      const mappings = await findMappings(
        db,
        groups.map(({ id }) => id),
      );
      yield groups.map((group) => ({ group, mapping: mappings.get(group.id) ?? [] }));
    }
  }

  /** Returns the group's token in plaintext. */
  tokenOf(group: UserGroup): string {
    // Bypass the cache: an export decrypts each token only once.
    return this.vault.decryptToken(group.storedToken, group);
  }
}

async function* pagesOf<Item extends { readonly id: number; readonly providedId: string }>(
  read: (page: PageRequest) => Promise<Page<Item>>,
): AsyncGenerator<readonly Item[]> {
  let after: PageRequest["after"] = null;
  for (let hasMore = true; hasMore; ) {
    const page: Page<Item> = await read({ size: PAGE_SIZE, from: "start", after, before: null });
    const last = page.items.at(-1);
    if (!last) return;
    yield page.items;
    hasMore = page.hasMore;
    after = { value: last.providedId, id: last.id };
  }
}
