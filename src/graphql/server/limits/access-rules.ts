import {
  BREAK,
  type DocumentNode,
  type FragmentDefinitionNode,
  GraphQLError,
  type GraphQLSchema,
  Kind,
  type SelectionNode,
  type SelectionSetNode,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from "graphql";
import { credentialsError } from "../../../domain/authentication/authorization.js";
import { DomainError } from "../../../domain/shared/errors.js";

/**
 * Allow-list of fields for user group tokens, so that new fields are not exposed by default (decision 15). Front ends reach `Node`
 * only through their user group and its data sources.
 */
const FRONT_END_FIELDS: Readonly<Record<string, readonly string[]>> = {
  // Routers load references to the own group by `_entities`; all others are null.
  Query: ["viewer", "_entities"],
  Subscription: ["userGroupChanged"],
  UserGroupChange: ["kind", "userGroup", "userGroupId", "version"],
  Viewer: ["accountName", "environment", "apiKey", "userGroup", "embedSession", "tokenGraceSeconds"],
  EmbedSession: ["expiresAt", "variables"],
  // Null for front ends, so that one query serves them and API keys.
  ApiKey: ["id", "name", "hint", "environment", "scope", "createdAt", "expiresAt", "revokedAt", "lastUsedAt"],
  UserGroup: [
    "id",
    "providedId",
    "name",
    "properties",
    "variableDefaults",
    "mapping",
    "version",
    "updatedAt",
  ],
  MappingEntry: ["schemaId", "dataSource"],
  DataSource: ["id", "providedId"],
  Node: ["id"],
};

/** Root fields that need no credentials: introspection and `viewer`, which is null. */
const ANONYMOUS_ROOT_FIELDS: ReadonlySet<string> = new Set(["__schema", "__type", "__typename", "viewer"]);

/** Introspection fields that list members of a type. */
const MEMBER_LISTS: ReadonlySet<string> = new Set(["fields", "inputFields", "interfaces", "possibleTypes"]);

/** Maximum nesting of member lists. Tools need one level; each further level multiplies the size of the reply. */
const MAX_MEMBER_LEVELS = 1;

/**
 * Checks whether front ends may run a document.
 * @param document must be valid for the schema
 * @returns `forbidden`, with the location of the first field that is not allowed in its cause; null if all are allowed
 */
export function findFrontEndError(document: DocumentNode, schema: GraphQLSchema): DomainError | null {
  const types = new TypeInfo(schema);
  const fragments = fragmentsOf(document);
  const path: string[] = [];
  let denied: DomainError | null = null;
  visit(
    document,
    visitWithTypeInfo(types, {
      Field: {
        enter(node) {
          const name = node.name.value;
          // Introspection has a separate setting.
          if (name.startsWith("__")) return false;
          path.push(node.alias?.value ?? name);
          const type = types.getParentType()?.name ?? "";
          if (FRONT_END_FIELDS[type]?.includes(name)) return undefined;
          const verb = type === schema.getMutationType()?.name ? "run" : "read";
          const message = `This token is not allowed to ${verb} \`${type}.${name}\`.`;
          denied = new DomainError("forbidden", message, {
            cause: new GraphQLError(message, { nodes: node, path }),
          });
          return BREAK;
        },
        leave() {
          path.pop();
        },
      },
      // Each fragment at its first spread, for the path in the response.
      FragmentDefinition: () => false,
      FragmentSpread({ name }) {
        const fragment = fragments.get(name.value);
        fragments.delete(name.value);
        return fragment && { ...fragment, kind: Kind.INLINE_FRAGMENT };
      },
    }),
  );
  return denied;
}

/**
 * Checks whether a document may run without credentials. The document may be invalid.
 * @returns the error; null if it may run
 */
export function findAnonymousError(document: DocumentNode): DomainError | null {
  const walker = new DocumentWalker(document);
  for (const definition of document.definitions) {
    if (definition.kind !== Kind.OPERATION_DEFINITION) continue;
    if (walker.rootFieldsOf(definition.selectionSet).some((name) => !ANONYMOUS_ROOT_FIELDS.has(name))) {
      return credentialsError(undefined, "graphql");
    }
    const levels = walker.memberLevelsOf(definition.selectionSet);
    if (levels > MAX_MEMBER_LEVELS) return tooManyLevels(levels);
  }
  return null;
}

function tooManyLevels(actual: number): DomainError {
  return new DomainError(
    "query_too_deep",
    `Without credentials, introspection can nest lists of fields and types only ${MAX_MEMBER_LEVELS} level deep. Send an API key.`,
    { details: { limit: MAX_MEMBER_LEVELS, actual } },
  );
}

/** Visits each fragment of a document at most once: fragments may form a cycle before validation. */
class DocumentWalker {
  readonly #fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  readonly #levels = new Map<string, number>();

  constructor(document: DocumentNode) {
    this.#fragments = fragmentsOf(document);
  }

  rootFieldsOf(selectionSet: SelectionSetNode, seen = new Set<string>()): string[] {
    return selectionSet.selections.flatMap((selection) => {
      if (selection.kind === Kind.FIELD) return [selection.name.value];
      if (selection.kind === Kind.INLINE_FRAGMENT) return this.rootFieldsOf(selection.selectionSet, seen);
      const name = selection.name.value;
      const fragment = this.#fragments.get(name);
      if (!fragment || seen.has(name)) return [];
      seen.add(name);
      return this.rootFieldsOf(fragment.selectionSet, seen);
    });
  }

  memberLevelsOf({ selections }: SelectionSetNode): number {
    return selections.reduce((levels, selection) => Math.max(levels, this.#memberLevels(selection)), 0);
  }

  #memberLevels(selection: SelectionNode): number {
    if (selection.kind === Kind.FRAGMENT_SPREAD) return this.#levelsOfFragment(selection.name.value);
    if (!selection.selectionSet) return 0;
    const below = this.memberLevelsOf(selection.selectionSet);
    return selection.kind === Kind.FIELD && MEMBER_LISTS.has(selection.name.value) ? below + 1 : below;
  }

  #levelsOfFragment(name: string): number {
    const known = this.#levels.get(name);
    if (known !== undefined) return known;
    this.#levels.set(name, 0);
    const fragment = this.#fragments.get(name);
    const levels = fragment ? this.memberLevelsOf(fragment.selectionSet) : 0;
    this.#levels.set(name, levels);
    return levels;
  }
}

/** Returns the fragments of a document by name. */
export function fragmentsOf({ definitions }: DocumentNode): Map<string, FragmentDefinitionNode> {
  const fragments = definitions.filter((definition) => definition.kind === Kind.FRAGMENT_DEFINITION);
  return new Map(fragments.map((fragment) => [fragment.name.value, fragment]));
}
