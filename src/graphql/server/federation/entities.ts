import { DomainError, domainErrorOr, type FieldPath, invalidField } from "../../../domain/shared/errors.js";
import { isInternalId } from "../../../domain/shared/internal-id.js";
import { isObject, isPresent } from "../../../domain/shared/json.js";
import { parseText } from "../../../domain/shared/text-field.js";
import { loadDataSource } from "../../data-sources/by.js";
import { DataSourceView } from "../../data-sources/type.js";
import {
  type FrontEndSession,
  type GraphqlContext,
  requireAnySession,
  type Session,
} from "../../shared/context.js";
import type { Loaders } from "../../shared/loaders.js";
import { type NodeType, type NodeView, parseNodeIdOfType } from "../../shared/node.js";
import { loadUserGroup } from "../../user-groups/by.js";
import { UserGroupView } from "../../user-groups/type.js";

/** Maximum representations in one `_entities` field. */
const MAX_REPRESENTATIONS = 1000;

type LoadEntity = (loaders: Loaders) => Promise<NodeView | null>;
/** @throws DomainError `invalid_field` */
type ParseKey = (value: unknown, field: FieldPath) => LoadEntity;

/** The keys of each entity, as they appear in `@key`. */
export const ENTITY_KEYS: Readonly<Record<string, Readonly<Record<string, ParseKey>>>> = {
  UserGroup: {
    id: keyOf(parseIdOf("UserGroup"), loadUserGroup, UserGroupView),
    providedId: keyOf(parseProvidedId, loadUserGroup, UserGroupView),
    teamId: keyOf(parseTeamId, loadUserGroup, UserGroupView),
  },
  DataSource: {
    id: keyOf(parseIdOf("DataSource"), loadDataSource, DataSourceView),
    providedId: keyOf(parseProvidedId, loadDataSource, DataSourceView),
  },
};

/**
 * Resolves `_entities`, with one batched load per key of a type.
 * @param representations objects with `__typename` and the fields of one or more keys
 * @returns in the same order, the entities; null for each that does not exist for the caller; an error for each invalid representation
 * @throws DomainError `invalid_field` for too many representations; `unauthenticated` without credentials
 */
export async function loadEntities(
  representations: readonly unknown[],
  context: GraphqlContext,
): Promise<readonly (NodeView | DomainError | null)[]> {
  const session = requireAnySession(context);
  if (representations.length > MAX_REPRESENTATIONS) {
    throw invalidField(["representations"], `must have at most ${MAX_REPRESENTATIONS} items`);
  }
  return Promise.all(
    representations.map(async (representation, index) => {
      const field = ["representations", String(index)];
      const keys = domainErrorOr(() => parseKeys(representation, field));
      // A failed load fails the whole field: the router can repeat the request, which invalid representations do not prevent.
      return keys instanceof DomainError ? keys : loadEntity(session, keys, field);
    }),
  );
}

async function loadEntity(
  session: Session | FrontEndSession,
  keys: readonly LoadEntity[],
  field: FieldPath,
): Promise<NodeView | DomainError | null> {
  const loaded = await Promise.all(keys.map((load) => load(session.loaders)));
  // Before the comparison, whose error would show a front end which other groups exist.
  const [entity = null, ...others] = loaded.map((each) => (isReadable(session, each) ? each : null));
  if (others.every((other) => other?.id === entity?.id)) return entity;
  return invalidField(field, "must not have keys of different objects");
}

/** A front end may read its own user group only; it reaches its data sources through that (decision 15). */
function isReadable(session: Session | FrontEndSession, entity: NodeView | null): boolean {
  if (session.kind === "caller") return true;
  return entity instanceof UserGroupView && entity.group.id === session.userGroup.id;
}

/** Returns a function for each key of a representation. @throws DomainError `invalid_field` */
function parseKeys(representation: unknown, field: FieldPath): readonly LoadEntity[] {
  const fields = isObject(representation) ? representation : {};
  const name = fields["__typename"];
  const keys = typeof name === "string" && Object.hasOwn(ENTITY_KEYS, name) ? ENTITY_KEYS[name] : undefined;
  if (!keys) {
    const types = Object.keys(ENTITY_KEYS).join(", ");
    throw invalidField(field, `must have a \`__typename\` that is one of ${types}`);
  }
  const found = Object.entries(keys).filter(([key]) => isPresent(fields[key]));
  if (found.length > 0) return found.map(([key, parse]) => parse(fields[key], [...field, key]));
  const names = Object.keys(keys).map((key) => `\`${key}\``);
  throw invalidField(field, `must have the field ${names.join(" or ")}`);
}

function keyOf<Ref, Entity>(
  parse: (value: unknown, field: FieldPath) => Ref,
  load: (loaders: Loaders, ref: Ref) => Promise<Entity | null>,
  View: new (entity: Entity) => NodeView,
): ParseKey {
  return (value, field) => {
    const ref = parse(value, field);
    return async (loaders) => {
      const entity = await load(loaders, ref);
      return entity && new View(entity);
    };
  };
}

function parseIdOf(type: NodeType) {
  return (value: unknown, field: FieldPath) =>
    ({ by: "id", id: parseNodeIdOfType(type, parseText(value, field)) }) as const;
}

function parseProvidedId(value: unknown, field: FieldPath) {
  return { by: "providedId", providedId: parseText(value, field) } as const;
}

function parseTeamId(value: unknown, field: FieldPath) {
  if (isInternalId(value)) return { by: "id", id: value } as const;
  throw invalidField(field, "must be a positive integer up to 2^53 - 1");
}
