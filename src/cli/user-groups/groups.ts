import type { ProcessEnvironment } from "../../config/config.js";
import type { Tenant } from "../../domain/accounts/caller.js";
import { DomainError } from "../../domain/shared/errors.js";
import { JsonSource, withSource } from "../../domain/shared/json-source.js";
import { parseJsonPart } from "../../domain/shared/json-text.js";
import { MAX_PAGE_SIZE, type PageRequest } from "../../domain/shared/pagination.js";
import { parseText } from "../../domain/shared/text-field.js";
import { type MappedDataSource, parseMapping } from "../../domain/user-groups/mapping.js";
import { parseProperties } from "../../domain/user-groups/properties.js";
import type { UserGroup, UserGroupRef } from "../../domain/user-groups/user-group.js";
import type { Services } from "../../services/services.js";
import type { BulkEditOutcome } from "../../services/user-groups/bulk-edits.js";
import type { AccountChoice } from "../shared/account.js";
import type { Output } from "../shared/output.js";
import { printable } from "../shared/printable.js";
import { type AuthoredChoice, withServices } from "../shared/services.js";
import { formatTable } from "../shared/table.js";

const COLUMNS = ["ID", "NAME", "VERSION", "UPDATED", "MAPPING"];
const ORDER = { field: "providedId", direction: "ascending" } as const;

/** A group to print. */
interface ShownGroup {
  readonly group: UserGroup;
  readonly mapping: readonly MappedDataSource[];
  /** Null if it is not to be shown. */
  readonly token: string | null;
}

export async function listGroups(
  settings: ProcessEnvironment,
  { startsWith, limit, ...choice }: AccountChoice & { readonly startsWith?: string; readonly limit: number },
  output: Output,
): Promise<void> {
  const filter = startsWith === undefined ? {} : { providedIdStartsWith: startsWith };
  const shown = await withServices(settings, choice, async (services, admin) => {
    const groups: UserGroup[] = [];
    let hasMore = true;
    while (hasMore && groups.length < limit) {
      const last = groups.at(-1);
      const page: PageRequest = {
        size: Math.min(MAX_PAGE_SIZE, limit - groups.length),
        from: "start",
        after: last ? { value: last.providedId, id: last.id } : null,
        before: null,
      };
      const found = await services.listing.userGroups(admin, filter, ORDER, page);
      groups.push(...found.items);
      hasMore = found.hasMore;
    }
    return Promise.all(groups.map((group) => show(services, admin, group, false)));
  });
  const json = new JsonSource(`[${shown.map(jsonOf).join(",\n")}]`);
  await output.print(json, formatTable([COLUMNS, ...shown.map(toRow)]));
}

export async function getGroup(
  settings: ProcessEnvironment,
  id: string,
  { withToken, ...choice }: AccountChoice & { readonly withToken: boolean },
  output: Output,
): Promise<void> {
  const shown = await withServices(settings, choice, async (services, admin) => {
    const group = await services.userGroupReader.current(admin, refOf(id));
    if (!group)
      throw new DomainError("user_group_not_found", `No user group has the ID ${JSON.stringify(id)}.`);
    return show(services, admin, group, withToken);
  });
  await output.print(new JsonSource(jsonOf(shown)), textOf(shown));
}

/** Creates a group, or changes the fields that are given. */
export async function putGroup(
  settings: ProcessEnvironment,
  id: string,
  options: AuthoredChoice & {
    readonly withToken: boolean;
    readonly name?: string;
    readonly properties?: string;
    readonly mapping?: string;
  },
  output: Output,
): Promise<void> {
  const { name, properties, mapping, withToken } = options;
  const shown = await withServices(settings, options, async (services, admin) => {
    const upsert = {
      providedId: parseText(id, ["id"]),
      ...(name === undefined ? {} : { name }),
      ...(properties === undefined ? {} : { properties: parsePropertiesOption(properties) }),
      ...(mapping === undefined
        ? {}
        : { mapping: parseMapping(parseJsonPart(mapping, "--mapping"), ["mapping"]) }),
    };
    const [outcome] = await services.userGroupUpserts.upsert(admin, [upsert], true);
    if (outcome === undefined || "error" in outcome)
      throw outcome?.error ?? new Error("There is no outcome.");
    return show(services, admin, outcome.userGroup, withToken);
  });
  await output.print(new JsonSource(jsonOf(shown)), textOf(shown));
}

export async function deleteGroups(
  settings: ProcessEnvironment,
  ids: readonly string[],
  options: AuthoredChoice,
  output: Output,
): Promise<void> {
  const groups = await withServices(settings, options, async ({ userGroupBulkEdits }, admin) =>
    requireGroups(await userGroupBulkEdits.delete(admin, { refs: ids.map(refOf), allOrNothing: true }), ids),
  );
  const deleted = groups.map(({ providedId }) => providedId);
  await output.print({ deleted }, deleted.map((id) => `deleted ${printable(id)}\n`).join(""));
}

/** Prints the new tokens. */
export async function rotateGroups(
  settings: ProcessEnvironment,
  ids: readonly string[],
  options: AuthoredChoice,
  output: Output,
): Promise<void> {
  const rotated = await withServices(
    settings,
    options,
    async ({ userGroupBulkEdits, userGroupReader }, admin) => {
      const edit = { refs: ids.map(refOf), allOrNothing: true };
      const groups = requireGroups(await userGroupBulkEdits.rotateTokens(admin, edit), ids);
      return groups.map((group) => ({
        provided_id: group.providedId,
        token: userGroupReader.tokenOf(group),
      }));
    },
  );
  const rows = rotated.map(({ provided_id, token }) => [provided_id, token]);
  await output.print(rotated, formatTable([["ID", "TOKEN"], ...rows]));
}

function refOf(id: string): UserGroupRef {
  return { by: "providedId", providedId: parseText(id, ["id"]) };
}

/** Keeps the text of the properties, so that numbers keep their precision. */
function parsePropertiesOption(json: string) {
  const text = `{"properties":${json}}`;
  const members = { properties: parseJsonPart(json, "--properties") };
  return parseProperties(withSource(members, "properties", text)["properties"], ["properties"]);
}

/** @throws DomainError the first that is about a group, with its ID */
function requireGroups(outcomes: readonly BulkEditOutcome[], ids: readonly string[]): UserGroup[] {
  const errors = outcomes.map((outcome) => ("error" in outcome ? outcome.error : null));
  const index = errors.findIndex((error) => error !== null && error.code !== "batch_rejected");
  const error = errors[index];
  if (error) throw new DomainError(error.code, `${JSON.stringify(ids[index])}: ${error.message}`);
  return outcomes.flatMap((outcome) => ("userGroup" in outcome ? [outcome.userGroup] : []));
}

async function show(
  { userGroupReader }: Services,
  tenant: Tenant,
  group: UserGroup,
  withToken: boolean,
): Promise<ShownGroup> {
  const mapping = await userGroupReader.mappings.load(tenant, group.id);
  return { group, mapping, token: withToken ? userGroupReader.tokenOf(group) : null };
}

/** Returns the group as JSON, with its properties exactly as stored. */
function jsonOf({ group, mapping, token }: ShownGroup): string {
  const members = JSON.stringify({
    provided_id: group.providedId,
    team_id: group.id,
    name: group.name,
    ...(token === null ? {} : { token }),
    mapping: Object.fromEntries(mapping.map(({ schemaId, dataSource }) => [schemaId, dataSource.providedId])),
    version: group.version,
    created_at: group.createdAt,
    updated_at: group.updatedAt,
  });
  return `${members.slice(0, -1)},"properties":${group.properties ?? "null"}}`;
}

function toRow({ group, mapping }: ShownGroup): string[] {
  const { providedId, name, version, updatedAt } = group;
  return [providedId, name, String(version), updatedAt.toISOString(), mappingText(mapping)];
}

function textOf(shown: ShownGroup): string {
  const { group, mapping, token } = shown;
  const rows = [
    ["ID", group.providedId],
    ["NAME", group.name],
    ["PROPERTIES", group.properties ?? "-"],
    ["MAPPING", mappingText(mapping) || "-"],
    ["VERSION", String(group.version)],
    ["CREATED", group.createdAt.toISOString()],
    ["UPDATED", group.updatedAt.toISOString()],
    ...(token === null ? [] : [["TOKEN", token]]),
  ];
  return formatTable(rows);
}

function mappingText(mapping: readonly MappedDataSource[]): string {
  return mapping.map(({ schemaId, dataSource }) => `${schemaId}=${dataSource.providedId}`).join(" ");
}
