import type { Writer } from "../../domain/accounts/caller.js";
import { lookupOf, type TokenVault } from "../../domain/accounts/token-vault.js";
import { DomainError, domainErrorOr, invalidField, isNoError } from "../../domain/shared/errors.js";
import type { Page, PageRequest } from "../../domain/shared/pagination.js";
import { USER_GROUP_ORDER, type UserGroupFilter } from "../../domain/user-groups/list.js";
import {
  type MappingReference,
  requireEntryLimit,
  type StoredMapping,
} from "../../domain/user-groups/mapping.js";
import { mergeProperties, type Properties } from "../../domain/user-groups/properties.js";
import { issueUserGroupToken } from "../../domain/user-groups/token.js";
import type { UserGroup, UserGroupRef } from "../../domain/user-groups/user-group.js";
import type { Database } from "../../persistence/database/database.js";
import type { TenantDb } from "../../persistence/shared/tenant-db.js";
import { findTouchedGroups, type TouchedGroup } from "../../persistence/user-groups/bulk-changes.js";
import { countUserGroups, listUserGroups } from "../../persistence/user-groups/list-queries.js";
import { findStoredMappings, writeMappings } from "../../persistence/user-groups/mapping-writes.js";
import { lockReferencedUserGroups } from "../../persistence/user-groups/reads.js";
import { type StoredRef } from "../../persistence/user-groups/row.js";
import {
  deleteLockedUserGroups,
  rotateLockedUserGroups,
  updateUserGroups,
} from "../../persistence/user-groups/writes.js";
import type { BulkCall, BulkChanges } from "./bulk-changes.js";
import {
  type BulkUpdated,
  batchRejected,
  type Edited,
  limitPatchBytes,
  limitStoredBytes,
  MAX_BULK_BYTES,
  type Outcome,
  retryConflicts,
  type Write,
} from "./bulk-transactions.js";
import { prepareUndo } from "./bulk-undo.js";
import type { ChangeFeed } from "./change-feed.js";
import { resolveMapping } from "./mapping-resolution.js";
import type { PropertySchemas } from "./property-schemas.js";
import { requireUserGroup, storedRef } from "./reader.js";

/** Maximum groups per call, all changed in one transaction (decision 30). */
export const MAX_BULK_EDITS = 1000;

/** Maximum groups per update, which may write 64 KiB of properties to each. */
export const MAX_BULK_UPDATES = 250;
/** Maximum mapping entries per update that are set or removed. */
export const MAX_BULK_ENTRIES = 50;

/** The groups to edit. */
export interface BulkEdit {
  /** An error marks an item that failed validation. */
  readonly refs: readonly (UserGroupRef | DomainError)[];
  /** Whether one invalid item aborts the call. */
  readonly allOrNothing: boolean;
}

/** The groups that match a filter, page by page, ordered by ID. */
export interface FilteredEdit extends Pick<BulkEdit, "allOrNothing"> {
  readonly filter: UserGroupFilter;
  readonly page: PageRequest;
  /** Maximum number of matching groups on all pages. */
  readonly expectedCount?: number | undefined;
}

/** A change of many groups, each field of which applies to all of them. */
export interface BulkPatch {
  /** A JSON Merge Patch; null removes all properties. */
  readonly propertiesPatch?: Properties;
  readonly setMapping: readonly MappingReference[];
  /** Schema IDs. */
  readonly removeMapping: readonly string[];
}

/** How an update is made. */
export interface UpdateOptions {
  /** Whether nothing is written. */
  readonly isDryRun: boolean;
  /** The ID of the bulk change that the call is part of. */
  readonly changeId?: string | undefined;
}

/** A call that undoes a bulk change. */
export interface BulkUndo extends Pick<UpdateOptions, "isDryRun"> {
  /** The bulk change to undo. */
  readonly changeId: string;
  /** The ID of the undo, which is a bulk change as well. */
  readonly undoId: string;
  /** ID of the group after which the call continues. */
  readonly after: number;
}

/** Rolls a transaction back whose outcomes were asked for only. */
class DryRun extends Error {}

/** Updates groups, rotates their tokens, and deletes them, in bulk. Each call returns an outcome per item, in the order of the items. */
export class UserGroupBulkEdits {
  constructor(
    private readonly db: Database,
    private readonly vault: TokenVault,
    private readonly changes: ChangeFeed,
    private readonly deps: { readonly bulkChanges: BulkChanges; readonly schemas: PropertySchemas },
  ) {}

  /** @param graceSeconds how long the current tokens can still be used to read */
  async rotateTokens(
    writer: Writer,
    edit: BulkEdit,
    graceSeconds: number,
  ): Promise<readonly Outcome<Edited>[]> {
    const outcomes = await this.#edit(writer, edit, {
      run: async (transaction, groups) => {
        const rotations = groups.map(({ id }) => {
          return { id, token: this.vault.encryptToken(issueUserGroupToken(writer.accountId), writer) };
        });
        return toEdited(await rotateLockedUserGroups(transaction, rotations, graceSeconds));
      },
    });
    for (const id of idsOf(outcomes)) this.changes.publish(writer, id, "tokenRotated");
    return outcomes;
  }

  async delete(writer: Writer, edit: BulkEdit): Promise<readonly Outcome<Edited>[]> {
    const outcomes = await this.#edit(writer, edit, {
      run: async (transaction, groups) => {
        const ids = groups.map(({ id }) => id);
        return toEdited(await deleteLockedUserGroups(transaction, ids));
      },
    });
    for (const id of idsOf(outcomes)) this.changes.publish(writer, id, "deleted");
    return outcomes;
  }

  /**
   * Makes the same change to groups.
   * @returns also the page that was listed
   * @throws DomainError `unknown_data_source`; `invalid_field` if more groups match than expected; `bulk_change_mismatch`
   */
  async update(
    writer: Writer,
    edit: BulkEdit | FilteredEdit,
    patch: BulkPatch,
    { isDryRun, changeId }: UpdateOptions,
  ): Promise<{ readonly outcomes: readonly Outcome<BulkUpdated>[]; readonly page: Page<UserGroup> | null }> {
    const patchBytes = Buffer.byteLength(patch.propertiesPatch ?? "");
    if ("refs" in edit) limitPatchBytes(edit.refs.length, patchBytes);
    let page: Page<UserGroup> | null = null;
    const filter = "filter" in edit ? edit.filter : null;
    const call =
      changeId === undefined
        ? null
        : { changeId, undoOf: null, changed: fieldsOf(patch), content: [filter, patch] };
    const outcomes = await this.#change(writer, call, isDryRun, async (transaction) => {
      if ("filter" in edit) page = await listMatching(transaction, edit, patchBytes);
      const refs =
        "refs" in edit ? edit.refs : (page?.items ?? []).map(({ id }) => ({ by: "id", id }) as const);
      const write = await prepareUpdate(transaction, patch, this.deps.schemas);
      return this.#run(transaction, { refs, allOrNothing: edit.allOrNothing }, write);
    });
    return { outcomes, page };
  }

  /**
   * Restores the values of the next groups that a bulk change has changed, except those that were changed since or have no history.
   * @returns also the page of these groups
   * @throws DomainError `bulk_change_not_found`, `bulk_change_mismatch`
   */
  async undo(
    writer: Writer,
    { changeId, undoId, after, isDryRun }: BulkUndo,
  ): Promise<{ readonly outcomes: readonly Outcome<BulkUpdated>[]; readonly page: Page<TouchedGroup> }> {
    const undone = await this.deps.bulkChanges.find(writer, changeId);
    if (!undone)
      throw new DomainError("bulk_change_not_found", "No bulk change of this environment has this ID.", {
        field: ["id"],
      });
    let page: Page<TouchedGroup> = { items: [], hasMore: false };
    const call = { changeId: undoId, undoOf: changeId, changed: undone.changed, content: [] };
    const outcomes = await this.#change(writer, call, isDryRun, async (transaction) => {
      const ids = { changeId, undoId };
      const found = await findTouchedGroups(transaction, ids, after, MAX_BULK_UPDATES + 1);
      const items = found
        .slice(0, MAX_BULK_UPDATES)
        .filter(({ bytes }, index) => index === 0 || bytes <= MAX_BULK_BYTES);
      page = { items, hasMore: items.length < found.length };
      const refs = items.map(({ id }) => ({ by: "id", id }) as const);
      return this.#run(
        transaction,
        { refs, allOrNothing: false },
        prepareUndo(changeId, items, this.deps.schemas),
      );
    });
    return { outcomes, page };
  }

  /** Changes groups in a transaction. @param call the call of a bulk change, if there is one @param work returns the outcomes */
  async #change(
    writer: Writer,
    call: BulkCall | null,
    isDryRun: boolean,
    work: (transaction: TenantDb) => Promise<readonly Outcome<BulkUpdated>[]>,
  ): Promise<readonly Outcome<BulkUpdated>[]> {
    let outcomes: readonly Outcome<BulkUpdated>[] = [];
    const change = async (transaction: TenantDb) => {
      const run = async () => {
        outcomes = await work(transaction);
        return changedIds(outcomes);
      };
      await (call ? this.deps.bulkChanges.include(transaction, writer, call, run) : run());
      if (isDryRun) throw new DryRun();
    };
    try {
      await retryConflicts(() => this.db.for(writer).transaction(change));
    } catch (error) {
      if (!(error instanceof DryRun)) throw error;
      return outcomes;
    }
    for (const id of changedIds(outcomes)) this.changes.publish(writer, id, "updated");
    return outcomes;
  }

  async #edit<Written extends Edited>(writer: Writer, edit: BulkEdit, write: Write<Written>) {
    return retryConflicts(() =>
      this.db.for(writer).transaction((transaction) => this.#run(transaction, edit, write)),
    );
  }

  async #run<Written extends Edited>(
    transaction: TenantDb,
    { refs, allOrNothing }: BulkEdit,
    write: Write<Written>,
  ): Promise<Outcome<Written>[]> {
    const stored = refs.map((ref) => domainErrorOr(() => toStoredRef(this.vault, ref)));
    const valid = stored.filter(isNoError);
    await limitStoredBytes(transaction, { refs: valid });
    const found = findEach(stored, await lockReferencedUserGroups(transaction, valid));
    const refused = await write.check?.(transaction, found.filter(isNoError));
    const items = found.map((item) => (isNoError(item) ? (refused?.get(item.id) ?? item) : item));
    const refuse = (error: DomainError, index: number) => {
      const group = found[index];
      return { error, refused: group && isNoError(group) ? group : null };
    };
    if (allOrNothing && !items.every(isNoError)) {
      return items.map((item, index) => refuse(isNoError(item) ? batchRejected() : item, index));
    }
    const groups = items.filter(isNoError);
    const written = groups.length === 0 ? [] : await write.run(transaction, groups);
    const byId = new Map(written.map((each) => [each.userGroup.id, each]));
    return items.map((item, index) => {
      if (!isNoError(item)) return refuse(item, index);
      const each = byId.get(item.id);
      if (!each) throw new Error("A locked user group is missing.");
      return each;
    });
  }
}

/**
 * Lists the page to edit, which ends early at the maximum of bytes.
 * @throws DomainError `invalid_field` if more groups match on all pages than expected
 */
async function listMatching(
  transaction: TenantDb,
  { filter, page: request, expectedCount }: FilteredEdit,
  patchBytes: number,
): Promise<Page<UserGroup>> {
  const size = Math.min(request.size, Math.floor(MAX_BULK_BYTES / Math.max(patchBytes, 1)));
  const fields = new Set(["properties"]);
  const found = await listUserGroups(transaction, filter, USER_GROUP_ORDER.default, {
    ...request,
    size,
    fields,
  });
  const page = cutPage(found, patchBytes);
  if (expectedCount === undefined) return page;
  // Counted after the page is read, so that a group that begins to match in between is noticed, too.
  const matching = await countUserGroups(transaction, filter, expectedCount + 1);
  if (Math.max(matching, page.items.length) > expectedCount)
    throw invalidField(
      ["expectedCount"],
      "is smaller than the number of user groups that match; nothing was changed",
    );
  return page;
}

function cutPage({ items: found, hasMore }: Page<UserGroup>, patchBytes: number): Page<UserGroup> {
  let bytes = 0;
  const items = found.filter(({ properties }, index) => {
    bytes += patchBytes + Buffer.byteLength(properties ?? "");
    return index === 0 || bytes <= MAX_BULK_BYTES;
  });
  return { items, hasMore: hasMore || items.length < found.length };
}

/** Returns the names of the fields that a patch changes. */
function fieldsOf({ propertiesPatch, setMapping, removeMapping }: BulkPatch): string[] {
  return [
    ...(propertiesPatch === undefined ? [] : ["properties"]),
    ...(setMapping.length + removeMapping.length === 0 ? [] : ["mapping"]),
  ];
}

function toEdited(groups: readonly UserGroup[]): Edited[] {
  return groups.map((userGroup) => ({ userGroup }));
}

/** Resolves a change of many groups. @throws DomainError `unknown_data_source` */
async function prepareUpdate(
  transaction: TenantDb,
  { propertiesPatch: patch, setMapping, removeMapping }: BulkPatch,
  schemas: PropertySchemas,
): Promise<Write<BulkUpdated>> {
  const entries = await resolveMapping(transaction, setMapping);
  const replaced = new Set([...entries.keys(), ...removeMapping]);
  const mappings = new Map<number, StoredMapping>();
  const properties = new Map<number, Properties>();
  let formers: ReadonlyMap<number, StoredMapping> = new Map();
  return {
    async check(transaction, groups) {
      const remapped = replaced.size === 0 ? [] : groups.map(({ id }) => id);
      formers = await findStoredMappings(transaction, remapped);
      for (const [id, former] of formers) {
        const others = [...former].filter(([schemaId]) => !replaced.has(schemaId));
        mappings.set(id, new Map([...others, ...entries]));
      }
      const check = patch === undefined ? null : await schemas.check(transaction);
      const errors = groups.map((group) =>
        domainErrorOr(() => {
          requireEntryLimit(mappings.get(group.id)?.size ?? 0, ["setMapping"]);
          if (patch === undefined) return null;
          const merged = mergeProperties(group.properties, patch);
          check?.(["propertiesPatch"], merged, group.properties);
          properties.set(group.id, merged);
          return null;
        }),
      );
      return new Map(
        groups.flatMap(({ id }, index) => {
          const error = errors[index];
          return error ? [[id, error] as const] : [];
        }),
      );
    },
    async run(transaction, groups) {
      const ids = new Set(groups.map(({ id }) => id));
      const written = new Map([...mappings].filter(([id]) => ids.has(id)));
      const remapped = await writeMappings(transaction, formers, written);
      return updateUserGroups(
        transaction,
        groups.map(({ id }) => {
          const change = { id, remapped: remapped.get(id) };
          return patch === undefined ? change : { ...change, properties: properties.get(id) ?? null };
        }),
      );
    },
  };
}

/** Returns the group of each reference; an error for one that does not exist or is repeated. */
function findEach(
  refs: readonly (StoredRef | DomainError)[],
  groups: readonly UserGroup[],
): (UserGroup | DomainError)[] {
  const byId = new Map(groups.map((group) => [group.id, group]));
  const byProvidedId = new Map(groups.map((group) => [group.providedId, group]));
  const byLookup = new Map(groups.map((group) => [lookupOf(group.storedToken), group]));
  const find = (ref: StoredRef): UserGroup | undefined => {
    if (ref.by === "id") return byId.get(ref.id);
    if (ref.by === "providedId") return byProvidedId.get(ref.providedId);
    return ref.lookups.map((lookup) => byLookup.get(lookup.toString("hex"))).find((group) => group);
  };
  const seen = new Set<number>();
  return refs.map((ref) => {
    if (!isNoError(ref)) return ref;
    return domainErrorOr(() => {
      const group = requireUserGroup(find(ref) ?? null, ref);
      if (seen.has(group.id)) {
        throw new DomainError("invalid_field", "The same user group must not be repeated.");
      }
      seen.add(group.id);
      return group;
    });
  });
}

function toStoredRef(vault: TokenVault, ref: UserGroupRef | DomainError): StoredRef {
  if (ref instanceof DomainError) throw ref;
  return storedRef(vault, ref);
}

function changedIds(outcomes: readonly Outcome<BulkUpdated>[]): number[] {
  return idsOf(outcomes.filter((outcome) => "userGroup" in outcome && outcome.changed));
}

function idsOf(outcomes: readonly Outcome<Edited>[]): number[] {
  return outcomes.flatMap((outcome) => ("userGroup" in outcome ? [outcome.userGroup.id] : []));
}
