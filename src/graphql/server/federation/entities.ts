import { invalidField } from "../../../domain/shared/errors.js";
import { isObject } from "../../../domain/shared/json.js";
import { parseText } from "../../../domain/shared/text-field.js";
import { parseSite } from "../../../domain/site-configs/site-config.js";
import { dataSourcesById, dataSourcesByProvidedId } from "../../data-sources/loaders.js";
import { DataSourceView } from "../../data-sources/type.js";
import { type GraphqlContext, requireSession } from "../../shared/context.js";
import type { Loaders } from "../../shared/loaders.js";
import { parseNodeIdOfType } from "../../shared/node-id.js";
import type { NodeView } from "../../shared/node-type.js";
import { siteConfigs } from "../../site-configs/loaders.js";
import { SiteConfigView } from "../../site-configs/type.js";
import { userGroupsById, userGroupsByProvidedId } from "../../user-groups/loaders.js";
import { UserGroupView } from "../../user-groups/type.js";

/** Maximum representations in one `_entities` field. */
const MAX_REPRESENTATIONS = 1000;

type Path = readonly string[];
type LoadEntity = (loaders: Loaders, value: string, path: Path) => Promise<NodeView | null>;

/** The keys of each entity, as they appear in `@key`, with their loaders. */
export const ENTITY_KEYS: Readonly<Record<string, Readonly<Record<string, LoadEntity>>>> = {
  UserGroup: {
    async id(loaders, value) {
      const group = await userGroupsById(loaders).load(parseNodeIdOfType("UserGroup", value));
      return group && new UserGroupView(group);
    },
    async providedId(loaders, value, path) {
      const group = await userGroupsByProvidedId(loaders).load(parseText(value, path));
      return group && new UserGroupView(group);
    },
  },
  DataSource: {
    async id(loaders, value) {
      const source = await dataSourcesById(loaders).load(parseNodeIdOfType("DataSource", value));
      return source && new DataSourceView(source);
    },
    async providedId(loaders, value, path) {
      const source = await dataSourcesByProvidedId(loaders).load(parseText(value, path));
      return source && new DataSourceView(source);
    },
  },
  SiteConfig: {
    async site(loaders, value, path) {
      const siteConfig = await siteConfigs(loaders).bySite.load(parseSite(value, path));
      return siteConfig && new SiteConfigView(siteConfig);
    },
  },
};

/**
 * Resolves `_entities`, with one batched load per key of a type.
 * @param representations objects with `__typename` and the field of one key
 * @returns the entities in the same order; null for each that does not exist for the caller
 * @throws DomainError `invalid_field`; `unauthenticated` or `forbidden` without an API key
 */
export async function loadEntities(
  representations: readonly unknown[],
  context: GraphqlContext,
): Promise<readonly (NodeView | null)[]> {
  const { loaders } = requireSession(context);
  if (representations.length > MAX_REPRESENTATIONS) {
    throw invalidField(["representations"], `must have at most ${MAX_REPRESENTATIONS} items`);
  }
  return Promise.all(
    representations.map((representation, index) =>
      loadEntity(loaders, representation, ["representations", String(index)]),
    ),
  );
}

async function loadEntity(loaders: Loaders, representation: unknown, path: Path): Promise<NodeView | null> {
  const fields = isObject(representation) ? representation : {};
  const name = fields["__typename"];
  const keys = Object.entries(typeof name === "string" ? (keysOf(name) ?? {}) : {});
  for (const [key, load] of keys) {
    const value = fields[key];
    if (typeof value === "string") return load(loaders, value, [...path, key]);
  }
  const types = Object.keys(ENTITY_KEYS).join(", ");
  throw invalidField(
    path,
    keys.length > 0
      ? `must have the field ${keys.map(([key]) => `\`${key}\``).join(" or ")} as a string`
      : `must have a \`__typename\` that is one of ${types}`,
  );
}

function keysOf(name: string): Readonly<Record<string, LoadEntity>> | undefined {
  return Object.hasOwn(ENTITY_KEYS, name) ? ENTITY_KEYS[name] : undefined;
}
