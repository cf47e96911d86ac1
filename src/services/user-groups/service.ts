import type { Caller, Writer } from "../../domain/accounts/caller.js";
import { requireWrite } from "../../domain/accounts/scopes.js";
import type { TokenVault } from "../../domain/accounts/token-vault.js";
import { DomainError, invalidField } from "../../domain/shared/errors.js";
import { type MappingReference, requireEntryLimit } from "../../domain/user-groups/mapping.js";
import { mergeProperties } from "../../domain/user-groups/properties.js";
import { issueUserGroupToken } from "../../domain/user-groups/token.js";
import type {
  ExpectedValues,
  ExpectedVersions,
  NewUserGroup,
  UserGroup,
  UserGroupChanges,
  UserGroupFields,
  UserGroupRef,
} from "../../domain/user-groups/user-group.js";
import { lockDataSources } from "../../persistence/data-sources/queries.js";
import type { Database } from "../../persistence/database/database.js";
import type { TenantDb } from "../../persistence/shared/tenant-db.js";
import { findVersion } from "../../persistence/user-groups/history.js";
import { type Remap, replaceMappings } from "../../persistence/user-groups/mapping-writes.js";
import { lockUserGroup } from "../../persistence/user-groups/reads.js";
import { type StoredRef } from "../../persistence/user-groups/row.js";
import {
  deleteUserGroup,
  insertUserGroups,
  rotateUserGroupToken,
  type UpdatedUserGroup,
  updateUserGroup,
} from "../../persistence/user-groups/writes.js";
import type { ChangeFeed } from "./change-feed.js";
import { resolveMapping } from "./mapping-resolution.js";
import type { PropertySchemas } from "./property-schemas.js";
import { requireUserGroup, storedRef, type UserGroupReader } from "./reader.js";

/** Attempts of get-or-create when the group is concurrently created and deleted. */
const ATTEMPTS = 5;

interface UserGroupServiceDependencies {
  readonly db: Database;
  readonly vault: TokenVault;
  readonly reader: UserGroupReader;
  readonly changes: ChangeFeed;
  readonly schemas: PropertySchemas;
  /** How long a rotated token can still be used to read. */
  readonly tokenGraceSeconds: number;
}

interface RotationOptions {
  readonly graceSeconds?: number;
  readonly expectedVersions?: ExpectedVersions | undefined;
}

/** Returns the changes of a locked group. */
type Prepare = (
  transaction: TenantDb,
  group: UserGroup,
) => Promise<Partial<UserGroupFields> & { readonly remap?: Remap }>;

export class UserGroupService {
  constructor(private readonly deps: UserGroupServiceDependencies) {}

  get tokenGraceSeconds(): number {
    return this.deps.tokenGraceSeconds;
  }

  /**
   * Returns the group with this external ID unchanged, or creates it (decision 5). Exactly one of several concurrent calls creates
   * it.
   * @param describe returns the group to create; called only if the group does not exist
   * @throws DomainError `forbidden` if the group does not exist and the key lacks write scope; `unknown_data_source`; errors of
   *   `describe`
   */
  async getOrCreate(
    caller: Caller,
    providedId: string,
    describe: () => NewUserGroup,
  ): Promise<{ readonly userGroup: UserGroup; readonly created: boolean }> {
    for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
      const existing = await this.deps.reader.byProvidedId.load(caller, providedId);
      if (existing) return { userGroup: existing, created: false };
      const group = describe();
      const userGroup = await this.#insert(requireWrite(caller), providedId, group, false);
      if (!userGroup) continue;
      await this.deps.schemas.countCreated(caller, group.properties);
      return { userGroup, created: true };
    }
    throw new DomainError(
      "unavailable",
      "The user group is being created and deleted by concurrent requests. Try again.",
      {
        retryAfter: 1,
      },
    );
  }

  /** @throws DomainError `user_group_exists` when the external ID is taken; `unknown_data_source`; `invalid_field` by the schema */
  async create(writer: Writer, providedId: string, group: NewUserGroup): Promise<UserGroup> {
    const created = await this.#insert(writer, providedId, group, true);
    if (!created) {
      throw new DomainError("user_group_exists", "A user group with this ID already exists.", {
        field: ["providedId"],
      });
    }
    return created;
  }

  /**
   * Inserts a group with its mapping.
   * @param isChecked whether the schema may refuse its properties
   * @returns null if its external ID is taken
   */
  async #insert(
    writer: Writer,
    providedId: string,
    { mapping, ...fields }: NewUserGroup,
    isChecked: boolean,
  ): Promise<UserGroup | null> {
    const db = this.deps.db.for(writer);
    const token = this.deps.vault.encryptToken(issueUserGroupToken(writer.accountId), writer);
    const rows = [{ providedId, ...fields, token, isMapped: mapping.length > 0 }];
    const insert = async (db: TenantDb) => {
      if (isChecked) (await this.deps.schemas.check(db))(["properties"], fields.properties, undefined);
      const entries = await resolveMapping(db, mapping);
      const groups = await insertUserGroups(db, rows);
      const remaps = mapping.length === 0 ? [] : groups.map(({ id }) => [id, () => entries] as const);
      await replaceMappings(db, new Map(remaps));
      return groups;
    };
    const [created = null] = await (mapping.length === 0 && !isChecked ? insert(db) : db.transaction(insert));
    if (created) this.deps.changes.publish(writer, created.id, "created");
    return created;
  }

  /**
   * Updates the fields that are present (decision 7). An update without effective changes writes nothing (decision 12a).
   * @throws DomainError `user_group_not_found`, `version_conflict`, `unknown_data_source`, `invalid_field` if patched properties are
   *   too large; nothing is changed
   */
  async update(writer: Writer, ref: UserGroupRef, changes: UserGroupChanges): Promise<UserGroup> {
    const { mapping, propertiesPatch: patch, expectedVersions } = changes;
    if (mapping === undefined && patch === undefined && expectedVersions === undefined) {
      const { properties } = changes;
      const version = properties === undefined ? null : this.deps.schemas.versionFor(writer, properties);
      if (version !== undefined) {
        const stored = storedRef(this.deps.vault, ref);
        const updated = await updateUserGroup(this.deps.db.for(writer), stored, changes, version);
        // Otherwise the schema may be another one.
        if (updated || version === null) return this.#publishUpdate(writer, requireUserGroup(updated, ref));
      }
    }
    const field = patch === undefined ? "properties" : "propertiesPatch";
    const prepare: Prepare = async (transaction, group) => {
      requireVersion(group, expectedVersions);
      const properties = patch === undefined ? {} : { properties: mergeProperties(group.properties, patch) };
      const fields = { ...changes, ...properties };
      const entries = mapping && (await resolveMapping(transaction, mapping));
      return entries ? { ...fields, remap: () => entries } : fields;
    };
    return this.#updateLocked(writer, ref, prepare, field);
  }

  /**
   * Gives a group the values that it had at a version; its token stays.
   * @throws DomainError `user_group_not_found`; `version_conflict`; `invalid_field` for a version that the group did not have, or whose
   *   values are unknown; `unknown_data_source` if a data source of the mapping was deleted since
   */
  async restore(
    writer: Writer,
    ref: UserGroupRef,
    version: number,
    expectedVersions: ExpectedVersions | undefined,
  ): Promise<UserGroup> {
    const field = ["version"];
    return this.#updateLocked(writer, ref, async (transaction, group) => {
      requireVersion(group, expectedVersions);
      if (version < 1 || version > group.version)
        throw invalidField(field, `must be from 1 to ${group.version}, the current version`);
      const former = await findVersion(transaction, group, version);
      if (former === "current") return {};
      const mapping = former?.mapping;
      if (!mapping)
        throw invalidField(
          field,
          "is not complete in the history: a change since then was not recorded, or is too old",
        );
      const sources = await lockDataSources(transaction, [], [...mapping.values()]);
      const [lost] = [...mapping].find(([, id]) => !sources.some((source) => source.id === id)) ?? [];
      if (lost === undefined) return { ...former, remap: () => mapping };
      const message = `The data source of the schema "${lost}" in version ${version} was deleted since.`;
      throw new DomainError("unknown_data_source", message, { field });
    });
  }

  /**
   * Maps a schema to a data source, replacing any existing entry; a repeated call changes nothing.
   * @throws DomainError `user_group_not_found`, `unknown_data_source`, `invalid_field` if the mapping is full
   */
  async setMapping(writer: Writer, ref: UserGroupRef, reference: MappingReference): Promise<UserGroup> {
    return this.#updateLocked(writer, ref, async (transaction) => {
      const entries = await resolveMapping(transaction, [reference]);
      return {
        remap(former) {
          const mapping = new Map([...former, ...entries]);
          requireEntryLimit(mapping.size, ["mapping"]);
          return mapping;
        },
      };
    });
  }

  /** Removes a schema from the mapping; does nothing if it is not mapped. @throws DomainError `user_group_not_found` */
  async removeMapping(writer: Writer, ref: UserGroupRef, schemaId: string): Promise<UserGroup> {
    return this.#updateLocked(writer, ref, async () => ({
      remap: (former) => new Map([...former].filter(([id]) => id !== schemaId)),
    }));
  }

  /**
   * Updates a group in a transaction that locks it first.
   * @param prepare returns its changes
   * @param field the field of the request from which properties come
   */
  async #updateLocked(
    writer: Writer,
    ref: UserGroupRef,
    prepare: Prepare,
    field = "properties",
  ): Promise<UserGroup> {
    const stored = storedRef(this.deps.vault, ref);
    const updated = await this.deps.db.for(writer).transaction(async (transaction) => {
      const group = requireUserGroup(await lockUserGroup(transaction, stored), ref);
      const { remap, ...fields } = await prepare(transaction, group);
      if (fields.properties !== undefined) {
        const check = await this.deps.schemas.check(transaction);
        check([field], fields.properties, group.properties);
      }
      const replaced = await replaceMappings(transaction, new Map(remap && [[group.id, remap]]));
      const changes = { ...fields, remapped: replaced.get(group.id) };
      return requireUserGroup(await updateUserGroup(transaction, { by: "id", id: group.id }, changes), ref);
    });
    return this.#publishUpdate(writer, updated);
  }

  #publishUpdate(writer: Writer, { userGroup, changed }: UpdatedUserGroup): UserGroup {
    if (changed) this.deps.changes.publish(writer, userGroup.id, "updated");
    return userGroup;
  }

  /**
   * Replaces the token of a group; the old one is invalidated immediately (decision 8), or after the grace period, by default that of the
   * service.
   * @returns the group and its new token
   * @throws DomainError `user_group_not_found`, also when a concurrent rotation replaced the token of `ref`; `version_conflict`
   */
  async rotateToken(
    writer: Writer,
    ref: UserGroupRef,
    { graceSeconds = this.tokenGraceSeconds, expectedVersions }: RotationOptions = {},
  ): Promise<{ readonly userGroup: UserGroup; readonly token: string }> {
    const token = issueUserGroupToken(writer.accountId);
    const encrypted = this.deps.vault.encryptToken(token, writer);
    const stored = storedRef(this.deps.vault, ref);
    const db = this.deps.db.for(writer);
    const rotated = await (expectedVersions === undefined
      ? rotateUserGroupToken(db, stored, encrypted, graceSeconds)
      : db.transaction(async (transaction) => {
          requireVersion(await lockUserGroup(transaction, stored), expectedVersions);
          return rotateUserGroupToken(transaction, stored, encrypted, graceSeconds);
        }));
    const userGroup = requireUserGroup(rotated, ref);
    this.deps.changes.publish(writer, userGroup.id, "tokenRotated");
    return { userGroup, token };
  }

  /**
   * Deletes a group and its mapping.
   * @throws DomainError `user_group_not_found`; `version_conflict`, or `user_group_mismatch`, when `expected` does not match the group
   */
  async delete(writer: Writer, ref: UserGroupRef, expected: ExpectedValues): Promise<UserGroup> {
    const deleted = await this.#delete(writer, storedRef(this.deps.vault, ref), expected);
    if (deleted) {
      this.deps.changes.publish(writer, deleted.id, "deleted");
      return deleted;
    }
    const group = requireUserGroup(await this.deps.reader.current(writer, ref), ref);
    const field =
      expected.providedId !== undefined && expected.providedId !== group.providedId
        ? "providedId"
        : "dataSourceProvidedId";
    throw new DomainError(
      "user_group_mismatch",
      "The request does not match the identified user group. Nothing was deleted.",
      {
        field: [field],
      },
    );
  }

  async #delete(writer: Writer, ref: StoredRef, expected: ExpectedValues): Promise<UserGroup | null> {
    if (expected.dataSourceProvidedId === undefined && expected.versions === undefined)
      return deleteUserGroup(this.deps.db.for(writer), ref, expected);
    // Lock first: a DELETE that waited for a concurrent change of the mapping would still read the old mapping.
    return this.deps.db.for(writer).transaction(async (transaction) => {
      requireVersion(await lockUserGroup(transaction, ref), expected.versions);
      return deleteUserGroup(transaction, ref, expected);
    });
  }
}

/** @param group locked; one that does not exist is reported as such instead @throws DomainError `version_conflict` */
function requireVersion(group: UserGroup | null, expected: ExpectedVersions | undefined): void {
  if (!group || expected === undefined) return;
  if (expected === "absent")
    throw new DomainError("version_conflict", "The user group exists.", { field: ["expectedAbsence"] });
  const ofGroup = expected.filter(({ id }) => id === undefined || id === group.id);
  if (ofGroup.some(({ version }) => version === group.version)) return;
  const [other] = expected.length === 1 ? ofGroup : [];
  const isForeign = expected.length > 0 && ofGroup.length === 0;
  throw new DomainError(
    "version_conflict",
    isForeign
      ? "The version is that of another user group, such as one with the same ID that was deleted. Read the user group again and repeat the change."
      : `The user group has version ${group.version}, not ${other?.version ?? "an expected one"}. Read it again and repeat the change.`,
    { field: ["expectedVersion"] },
  );
}
